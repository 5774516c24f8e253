// Gives a signal out by another clock than the one it came by: a little faster or slower, and with no delay that grows. Realtime:
// no lock, no allocation after construction.
//
// What two sound cards call a second differs by up to a ten-thousandth. How far one is beside the other is for whoever hears both
// to say (Lean).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::dsp {

class ClockFollower {
 public:
  // So many samples later than it was given it gives out, or so much sooner it must be given.
  static constexpr size_t kLook = 8;
  // Samples of a sample: no clock is further beside another.
  static constexpr double kMost = 3e-4;

  explicit ClockFollower(size_t block) : block_(block), given_(block + kTaps) {}

  // How many samples the next block takes: as many as it has, one more or one less.
  size_t wanted() const { return block_ + 1 - missing_; }
  // `in`: wanted() samples; `out`: a block.
  void Take(std::span<const float> in, std::span<float> out);

  // From now on it goes on by so much faster than before.
  void Lean(double by);
  // What it gives out next is of a moment so many samples later; a fraction of one.
  void Move(double by) { beside_ += by; }
  double rate() const { return rate_; }

 private:
  static constexpr size_t kTaps = 2 * kLook;

  void Interpolate();

  size_t block_;
  std::vector<float> given_;  // the newest last
  std::array<float, kTaps> taps_{};
  double rate_ = 0;
  double beside_ = 0;   // of a sample: how far beyond the one it stands at it reads
  size_t missing_ = 1;  // 1: as many as a block has are taken, 0 one more, 2 one less
};

}  // namespace trunkline::dsp
