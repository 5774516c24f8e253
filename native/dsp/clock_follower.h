// Resamples a signal to another clock, a little faster or slower, without a growing delay. Realtime: no lock,
// no allocation after construction.
//
// Two sound cards' clocks differ by up to a ten-thousandth. The caller measures the difference (Lean).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::dsp {

class ClockFollower {
 public:
  // The filter's delay in samples.
  static constexpr size_t kLookAhead = 8;
  static constexpr double kMax = 3e-4;

  explicit ClockFollower(size_t block) : block_(block), given_(block + kTaps) {}

  // Returns how many samples the next block takes: a block's, one more or one less.
  size_t wanted() const { return block_ + 1 - missing_; }
  // `in`: wanted() samples; `out`: a block.
  void Take(std::span<const float> in, std::span<float> out);

  void Lean(double by);
  // Shifts the next output by this many samples; fractions are possible.
  void Move(double by) { offset_ += by; }
  double rate() const { return rate_; }

 private:
  static constexpr size_t kTaps = 2 * kLookAhead;

  void Interpolate();

  size_t block_;
  std::vector<float> given_;  // the newest last
  std::array<float, kTaps> taps_{};
  double rate_ = 0;
  double offset_ = 0;   // the read position after the current sample, in samples
  size_t missing_ = 1;  // 1: the next block takes block_ samples, 0: one more, 2: one less
};

}  // namespace trunkline::dsp
