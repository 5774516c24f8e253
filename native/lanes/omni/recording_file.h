// The file of a call's recording: a WAV that can be played at any moment, as far as it was written.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/status.h"

namespace trunkline::omni {

// Two channels of PCM16. One thread at a time.
class RecordingFile {
 public:
  RecordingFile(std::string path, int rate) : path_(std::move(path)), rate_(rate) {}
  ~RecordingFile();
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  // Behind what is there, then the header that counts it: whoever dies in between leaves a shorter recording.
  // The first creates the file, which must not exist.
  base::Status Append(std::span<const int16_t> interleaved);

 private:
  base::Status WriteAll(base::ByteView bytes, int64_t at);
  base::Status Failed(const char* what) const;

  const std::string path_;
  const int rate_;
  int file_ = -1;
  int64_t written_ = 0;  // bytes of samples
};

}  // namespace trunkline::omni
