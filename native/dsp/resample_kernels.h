// The inner loops of the resamplers. Realtime. See g711_kernels.h for what a file of one instruction set may
// include.
//
// Sixteen neighbouring outputs form a tile. A tile is the sum over its input samples of (sample x row of
// coefficients): row p holds, for each of the sixteen outputs, the tap that meets sample p, and zero where
// none does. So the loop broadcasts samples and loads rows; it needs no shuffle, no sum across a vector and
// no sorting of the input by phase, and it serves every ratio. Several tiles that share a table share each
// loaded row.
//
// Even and odd rows are summed apart and joined at the end, for every tile alike: an output's bits do not
// depend on how many tiles were computed with it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsp/isa.h"

namespace trunkline::dsp {

constexpr int kTile = 16;

struct ResampleKernels {
  // `tiles` tiles of one table of `rows` (even) rows of 16 aligned floats; tile i reads x[i * x_step ...] and
  // writes 16 floats at out[i * out_step].
  void (*tiles_of_one)(const float* x, ptrdiff_t x_step, const float* table, int rows, int tiles, float* out,
                       ptrdiff_t out_step);
  // Computes up to kMaxEach tiles with tables of their own; tile i writes out[16 * i ...].
  void (*tiles_of_each)(const float* const* x, const float* const* tables, int rows, int tiles, float* out);
  // Copies; NaN or a value beyond 1e9 is replaced by the last valid one (`*held`), one below 1e-20 by 0,
  // so that no later sum overflows or slows down in denormal numbers.
  void (*contain)(const float* in, float* out, long count, float* held);
  void (*from_int16)(const int16_t* in, float* out, long count);  // full scale is 1
  void (*to_int16)(const float* in, int16_t* out, long count);    // nearest, ties to even, saturated
};

constexpr int kMaxEach = 8;

extern const ResampleKernels kResamplePlain;
extern const ResampleKernels kResampleAvx2;
extern const ResampleKernels kResampleAvx512;
extern const ResampleKernels kResampleNeon;

// Precondition: IsaSupported(isa).
const ResampleKernels& ResampleKernelsFor(Isa isa);

namespace resample {

constexpr float kLargest = 1e9f;
constexpr float kSmallest = 1e-20f;

static inline float ContainSample(float value, float* held) {
  const float size = value < 0 ? -value : value;
  if (!(size <= kLargest)) return *held;
  *held = size < kSmallest ? 0.0f : value;
  return *held;
}

}  // namespace resample
}  // namespace trunkline::dsp
