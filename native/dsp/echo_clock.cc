#include "dsp/echo_clock.h"

#include <algorithm>

namespace trunkline::dsp {
namespace {

// The estimate covers about a second. In each block this share of the lag is corrected, and this share
// adjusts the clock.
constexpr double kMemory = 0.99, kMadeUp = 0.005, kLean = 1e-6;
constexpr double kMaxLate = 0.5, kMinSlope = 0.05;

}  // namespace

// An echo that is a little late is smaller than expected on a rising slope and larger on a falling one. Each
// block has the same weight, so that a caller's voice, which does so by chance only, counts little.
void EchoClock::Hear(std::span<const float> expected, std::span<const float> left, double heard) {
  double along = 0, steep = 0, energy = heard;
  for (size_t i = 0; i + 1 < left.size(); ++i) {
    const double slope = 0.5 * (expected[i + 2] - expected[i]);
    along += left[i] * slope;
    steep += slope * slope;
    energy += left[i] * left[i];
  }
  along_ = kMemory * along_ + along / energy;
  steep_ = kMemory * steep_ + steep / energy;
  if (steep_ < kMinSlope) return;
  const double sooner = std::clamp(along_ / steep_, -kMaxLate, kMaxLate);
  follower_.Move(kMadeUp * sooner);
  follower_.Lean(kLean * sooner);
}

}  // namespace trunkline::dsp
