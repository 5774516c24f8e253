// The WAV file of a recording; the written part can be played at any time.
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

  // Appends the samples, then updates the header, so that a crash leaves a shorter recording. The first call
  // creates the file, which must not exist.
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
