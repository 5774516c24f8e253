// Tracks whether a line's frames are late: how much audio has come ahead of its time, tick by tick. Media
// thread.
#pragma once

#include <algorithm>

namespace trunkline::omni {

class FrameLateness {
 public:
  void Came(int ticks) {
    covered_ = std::max(covered_, 0) + ticks;
    came_ = true;
  }
  // A surplus that never shrank during the watch was a single delay and is removed.
  void Tick() {
    if (!came_) return;
    --covered_;
    least_ = std::min(least_, covered_);
    if (++watched_ < kWatchTicks) return;
    covered_ -= std::max(least_, 0);
    least_ = covered_;
    watched_ = 0;
  }

  bool came() const { return came_; }
  // The number of ticks for which the next frame has been due; 0 before the first.
  int ticks() const { return std::max(0, -covered_); }

 private:
  // A network that delays frames does so again within this time.
  static constexpr int kWatchTicks = 150;

  bool came_ = false;
  int covered_ = 0;  // ticks of sound that came and are not due yet; below 0 some should have come
  int least_ = 0;
  int watched_ = 0;
};

}  // namespace trunkline::omni
