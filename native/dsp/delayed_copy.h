// Detects whether one signal is a delayed, quieter copy of another, by its samples, in a quarter of a second.
// Realtime: no lock, no allocation after construction; a look takes a third of a millisecond at 8 kHz.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsp/real_fft.h"

namespace trunkline::dsp {

class DelayedCopy {
 public:
  // Compares `heard` samples, which may be up to `latest` samples later than the played ones.
  DelayedCopy(size_t heard, size_t latest);

  size_t heard() const { return heard_; }
  size_t latest() const { return latest_; }

  struct Found {
    // The share of the signal that is a copy, as an amplitude: 1 when it is nothing else.
    float share = 0;
    size_t delay = 0;
    // The level relative to the played signal.
    float db = 0;
  };
  // `heard`: heard() samples; `played`: the latest() samples before them and the heard() of the
  // same time.
  Found Find(std::span<const int16_t> heard, std::span<const int16_t> played);

 private:
  size_t heard_, latest_;
  RealFft fft_;
  std::vector<float> time_, sums_, heard_re_, heard_im_, re_, im_;
};

}  // namespace trunkline::dsp
