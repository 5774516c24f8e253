#include "dsp/clock_follower.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dsp/blocks.h"

namespace trunkline::dsp {

void ClockFollower::Take(std::span<const float> in, std::span<float> out) {
  Append(given_, in);
  if (offset_ == 0) {
    std::copy_n(given_.begin() + kLookAhead, block_, out.begin());
  } else {
    Interpolate();
    for (size_t i = 0; i < block_; ++i) {
      float sum = 0;
      for (size_t tap = 0; tap < kTaps; ++tap) sum += taps_[tap] * given_[i + tap];
      out[i] = sum;
    }
  }
  offset_ += rate_ * static_cast<double>(block_);
  missing_ = 1;
  if (offset_ >= 0.5) offset_ -= 1, missing_ = 0;
  if (offset_ < -0.5) offset_ += 1, missing_ = 2;
}

// Within a block the offset changes by less than a fortieth of a sample, so one filter suffices.
void ClockFollower::Interpolate() {
  for (size_t tap = 0; tap < kTaps; ++tap) {
    const double x = static_cast<double>(tap) - kLookAhead - offset_;
    const double sinc = std::abs(x) < 1e-9 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
    taps_[tap] = static_cast<float>(sinc * (0.5 + 0.5 * std::cos(std::numbers::pi * x / (kLookAhead + 1))));
  }
}

void ClockFollower::Lean(double by) {
  rate_ = std::clamp(rate_ + by, -kMax, kMax);
}

}  // namespace trunkline::dsp
