// Whether one sound is another that was heard before, later and quieter: by its samples, which tell in a
// quarter of a second what levels don't. Realtime: no lock, no allocation after construction; a look takes a
// third of a millisecond at 8 kHz.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsp/real_fft.h"

namespace trunkline::dsp {

class DelayedCopy {
 public:
  // Of `heard` samples, which may come up to `latest` later than in what was played.
  DelayedCopy(size_t heard, size_t latest);

  size_t heard() const { return heard_; }
  size_t latest() const { return latest_; }

  struct Found {
    // Of what is heard, as an amplitude: 1 where it is nothing else.
    float share = 0;
    size_t delay = 0;
    // By how much it is quieter than what was played, if it is nothing else.
    float db = 0;
  };
  // `heard`: heard() samples; `played`: those of latest() samples before it and as many as it has.
  Found Look(std::span<const int16_t> heard, std::span<const int16_t> played);

 private:
  size_t heard_, latest_;
  RealFft fft_;
  std::vector<float> time_, sums_, heard_re_, heard_im_, re_, im_;
};

}  // namespace trunkline::dsp
