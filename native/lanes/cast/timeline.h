// Clips of speech on one time line: their audio in a file of PCM16, their positions, fades, and the room tone
// under them. Any split of the time line gives the same samples.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"

namespace trunkline::cast {

struct Clip {
  uint64_t at = 0;     // its first sample in the file
  uint64_t start = 0;  // and in the time line
  uint32_t samples = 0;
  uint32_t fade_in = 0, fade_out = 0;
  float gain = 1;
  // Seeds the room tone up to the next clip, so that a clip has the same tone wherever it lies.
  uint32_t seed = 0;
};

class Timeline {
 public:
  // The plan: u64 samples of the whole, u32 clips, then each clip's fields in the order above, sorted by
  // start.
  static base::Result<std::unique_ptr<Timeline>> Open(const std::string& file, base::ByteView plan,
                                                      float room_tone);

  uint64_t samples() const { return samples_; }
  // Reads samples from `from` on, with the clips amplified by `gain`; silence lies before the beginning and
  // after the end.
  base::Status Read(int64_t from, float gain, std::span<float> out) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  Timeline() = default;
  base::Status AddClip(const Clip& clip, int64_t from, float gain, std::span<float> out) const;
  void AddRoomTone(int64_t from, std::span<float> out) const;

  std::unique_ptr<std::FILE, Close> file_;
  uint64_t samples_ = 0;
  uint64_t longest_ = 0;
  float room_tone_ = 0;  // amplitude
  std::vector<Clip> clips_;
};

}  // namespace trunkline::cast
