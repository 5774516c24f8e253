// Whether a line's frames are late: how much of what came is not due yet, tick by tick. Media thread.
#pragma once

#include <algorithm>

namespace trunkline::omni {

class FrameLateness {
 public:
  // So many ticks of sound came.
  void Came(int ticks) {
    covered_ = std::max(covered_, 0) + ticks;
    came_ = true;
  }
  // What was always there for a while only came late once.
  void Tick() {
    if (!came_) return;
    --covered_;
    least_ = std::min(least_, covered_);
    if (++watched_ < kWatchTicks) return;
    covered_ -= std::max(least_, 0);
    least_ = covered_;
    watched_ = 0;
  }

  // Something has come at all.
  bool came() const { return came_; }
  // For how long the next frame has been due; 0 before the first.
  int ticks() const { return std::max(0, -covered_); }

 private:
  // A network that has held frames up does so again within this, or is as it was before.
  static constexpr int kWatchTicks = 150;

  bool came_ = false;
  int covered_ = 0;  // ticks of sound that came and are not due yet; below 0 some should have come
  int least_ = 0;    // of those, since they are watched
  int watched_ = 0;
};

}  // namespace trunkline::omni
