// An acoustic echo canceller: removes from a line the echo of the audio that was sent into it, whether a
// loudspeaker, a hybrid or a room reflects it. Realtime: no lock, no allocation after construction.
//
// A filter of half a second in blocks of 10 ms, estimated in the frequency domain by a Kalman filter (Enzner
// and Vary, "Frequency-domain adaptive Kalman filter for acoustic echo control in hands-free telephones",
// Signal Processing 86, 2006): a coefficient adapts faster the less certain it is and the less near-end sound
// there is, so no double-talk detector is needed.
//
// A player that restarts after a pause shifts the echo by a few milliseconds. The shift is found by
// correlation, where adapting anew would take a second.
//
// A client whose clock differs brings an echo with a growing delay. The filter's lag measures the drift, and
// the far end is resampled to the other end's clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsp/echo_clock.h"
#include "dsp/echo_shift.h"
#include "dsp/real_fft.h"

namespace trunkline::dsp {

class EchoCanceller {
 public:
  static constexpr size_t kBlocks = 48;  // the latest echo, in blocks of 10 ms

  // A multiple of 200 whose hundredth is a product of 2, 3 and 5.
  explicit EchoCanceller(int rate);

  size_t block() const { return block_; }
  // `far` is ahead of `near` by this many samples, so that an early echo is covered.
  size_t ahead() const { return ahead_ + ClockFollower::kLookAhead; }
  // Returns the number of samples of `far` that the next block takes: a block's, or one more or less
  // where the clocks differ.
  size_t wanted() const { return clock_.wanted(); }
  // The share by which the other end's clock is slower.
  double drift() const { return clock_.drift(); }
  // `near`: block() recorded samples; `far`: the next wanted() samples, the first of which is due at the
  // other end ahead() samples after those. Cancels the echo in `near`, or leaves it unchanged until an echo
  // is certain and where cancelling would add to it.
  void Process(std::span<const int16_t> far, std::span<int16_t> near);
  // Adapts faster again, because the output still holds an echo.
  void MarkUnreliable();
  // Adapts from the start, because of an unknown echo.
  void Readapt();
  // The proven attenuation of the echo; 0 when it is uncertain, such as when the far end has just begun and
  // the echo may have moved.
  float taken_out_db() const { return proven_ ? taken_out_db_ : 0; }

 private:
  static constexpr ptrdiff_t kShiftBlocks = 4;  // blocks of shift to either side

  // The position in far_ of the block that was due when `near` was recorded.
  size_t Due() const { return far_.size() - block_ - ahead_; }
  void Advance(std::span<const int16_t> far);
  void Transform(size_t block);
  void Predict();
  void Learn();
  void Adapt(size_t block);
  void Constrain(size_t block);
  bool Helps();
  void Prove(double heard, double left);
  void FollowShift();
  void Shift(ptrdiff_t by);
  void Distrust();

  std::span<float> Spectrum(std::vector<float>& of, size_t block) {
    return std::span<float>(of).subspan(block * bins_, bins_);
  }

  size_t block_, bins_, ahead_;
  EchoClock clock_;
  RealFft fft_;
  std::vector<float> far_;              // samples, the newest last
  std::vector<float> far_re_, far_im_;  // spectra of kBlocks windows of two blocks
  size_t newest_ = 0;
  std::array<float, kBlocks> loud_{};  // mean squares
  std::vector<float> re_, im_;         // the filter
  std::vector<float> unsure_;          // the variance of each coefficient
  std::vector<float> else_;
  size_t turn_ = 0;
  std::vector<float> echo_re_, echo_im_, error_re_, error_im_, weight_;
  std::vector<float> time_, near_, error_;

  double heard_ = 0, left_ = 0;  // energies of a tenth of a second, with and without the echo
  double share_ = 0;
  bool sure_ = false;    // an echo is present
  bool proven_ = false;  // the filter cancels it
  float taken_out_db_ = 0;
  int proof_ = 0;
  int far_quiet_ = 0;
  int hold_off_ = 0;

  ptrdiff_t shift_ = 0;  // the added delay of the echo since it was learnt
  EchoShift shifts_;
};

}  // namespace trunkline::dsp
