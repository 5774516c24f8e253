// Estimates the other end's clock drift from an echo with a growing delay, and resamples the far end to that
// clock. Realtime: no lock, no allocation after construction.
#pragma once

#include <cstddef>
#include <span>

#include "dsp/clock_follower.h"

namespace trunkline::dsp {

class EchoClock {
 public:
  explicit EchoClock(size_t block) : follower_(block) {}

  size_t wanted() const { return follower_.wanted(); }
  // The share by which the other end's clock is slower.
  double drift() const { return follower_.rate(); }
  void Take(std::span<const float> far, std::span<float> out) { follower_.Take(far, out); }

  // Takes a block's expected echo, with the sample before it, the residual, and the energy of the
  // recorded block.
  void Hear(std::span<const float> expected, std::span<const float> left, double heard);
  // Discards the measured lag, because the echo may have moved.
  void Forget() { along_ = steep_ = 0; }

 private:
  ClockFollower follower_;
  double along_ = 0, steep_ = 0;
};

}  // namespace trunkline::dsp
