#include "lanes/omni/recording_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace trunkline::omni {
namespace {

using base::Store;

constexpr int64_t kHeader = 44;
constexpr uint16_t kChannels = 2, kBytesASample = 2;
// The largest size that a WAV header can hold.
constexpr int64_t kMaxFileBytes = UINT32_MAX - kHeader;

std::array<uint8_t, kHeader> HeaderOf(int rate, int64_t samples) {
  std::array<uint8_t, kHeader> header{};
  uint8_t* at = header.data();
  std::memcpy(at, "RIFF", 4);
  Store(at + 4, static_cast<uint32_t>(samples + kHeader - 8));
  std::memcpy(at + 8, "WAVEfmt ", 8);
  Store(at + 16, uint32_t{16});
  Store(at + 20, uint16_t{1});
  Store(at + 22, kChannels);
  Store(at + 24, static_cast<uint32_t>(rate));
  Store(at + 28, static_cast<uint32_t>(rate * kChannels * kBytesASample));
  Store(at + 32, static_cast<uint16_t>(kChannels * kBytesASample));
  Store(at + 34, static_cast<uint16_t>(8 * kBytesASample));
  std::memcpy(at + 36, "data", 4);
  Store(at + 40, static_cast<uint32_t>(samples));
  return header;
}

}  // namespace

RecordingFile::~RecordingFile() {
  if (file_ >= 0) close(file_);
}

base::Status RecordingFile::Append(std::span<const int16_t> interleaved) {
  if (file_ < 0) {
    file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file_ < 0) return Failed("could not be created");
  }
  const base::ByteView bytes = base::AsBytes(interleaved);
  if (written_ + static_cast<int64_t>(bytes.size()) > kMaxFileBytes) {
    return base::Status(base::Code::kInternal, "the recording is as long as a WAV file may be");
  }
  if (base::Status status = WriteAll(bytes, kHeader + written_); !status.ok()) return status;
  written_ += static_cast<int64_t>(bytes.size());
  const auto header = HeaderOf(rate_, written_);
  return WriteAll(header, 0);
}

base::Status RecordingFile::WriteAll(base::ByteView bytes, int64_t at) {
  while (!bytes.empty()) {
    const ssize_t wrote = pwrite(file_, bytes.data(), bytes.size(), at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return Failed("could not be written");
    bytes = bytes.subspan(static_cast<size_t>(wrote));
    at += wrote;
  }
  return base::Ok();
}

base::Status RecordingFile::Failed(const char* what) const {
  return base::Status(base::Code::kInternal, path_ + " " + what + ": " + std::strerror(errno));
}

}  // namespace trunkline::omni
