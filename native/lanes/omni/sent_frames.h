// Frames that were sent and not yet played, and some that were played, because a client may report late that
// it played less. Media thread; no allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace trunkline::omni {

struct SentFrame {
  uint64_t position = 0;
  uint64_t clock = 0;
  uint32_t count = 0;  // samples of the queue in it; the rest of the frame is padding
  bool ducked = false;
  float dbfs = -127;
};

class SentFrames {
 public:
  size_t size() const { return count_; }
  bool full() const { return count_ == kMax; }
  const SentFrame& operator[](size_t index) const { return frames_[(first_ + index) % kMax]; }

  void Add(const SentFrame& frame) {
    frames_[(first_ + count_++) % kMax] = frame;
    before_ = std::min(before_, kMax - count_);
  }
  // Frames that end by this moment were played.
  void MarkPlayed(uint64_t moment, size_t frame) {
    for (; count_ > 0 && frames_[first_].clock + frame <= moment; --count_, ++before_) {
      first_ = (first_ + 1) % kMax;
    }
  }
  // Frames that end after this moment were not played.
  void MarkUnplayed(uint64_t moment, size_t frame) {
    for (; before_ > 0; --before_, ++count_) {
      const size_t last = (first_ + kMax - 1) % kMax;
      if (frames_[last].clock + frame <= moment) return;
      first_ = last;
    }
  }
  void Forget() { count_ = before_ = 0; }

 private:
  static constexpr size_t kMax = 256;  // five seconds

  std::array<SentFrame, kMax> frames_{};
  size_t first_ = 0, count_ = 0;
  size_t before_ = 0;  // played, and still stored
};

}  // namespace trunkline::omni
