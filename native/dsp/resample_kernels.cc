#include "dsp/resample_kernels.h"

#include <cmath>

namespace trunkline::dsp {
namespace {

void Tile(const float* x, const float* table, int rows, float* out) {
  float even[kTile] = {}, odd[kTile] = {};
  for (int p = 0; p < rows; p += 2) {
    for (int j = 0; j < kTile; ++j) even[j] += x[p] * table[p * kTile + j];
    for (int j = 0; j < kTile; ++j) odd[j] += x[p + 1] * table[(p + 1) * kTile + j];
  }
  for (int j = 0; j < kTile; ++j) out[j] = even[j] + odd[j];
}

void TilesOfOne(const float* x, ptrdiff_t x_step, const float* table, int rows, int tiles, float* out,
                ptrdiff_t out_step) {
  for (int i = 0; i < tiles; ++i) Tile(x + i * x_step, table, rows, out + i * out_step);
}

void TilesOfEach(const float* const* x, const float* const* tables, int rows, int tiles, float* out) {
  for (int i = 0; i < tiles; ++i) Tile(x[i], tables[i], rows, out + i * kTile);
}

void Contain(const float* in, float* out, long count, float* held) {
  for (long i = 0; i < count; ++i) out[i] = resample::ContainSample(in[i], held);
}

void FromInt16(const int16_t* in, float* out, long count) {
  for (long i = 0; i < count; ++i) out[i] = static_cast<float>(in[i]) * (1.0f / 32768);
}

void ToInt16(const float* in, int16_t* out, long count) {
  for (long i = 0; i < count; ++i) {
    const float scaled = in[i] * 32768.0f;
    const float clipped = scaled < -32768.0f ? -32768.0f : scaled > 32767.0f ? 32767.0f : scaled;
    out[i] = static_cast<int16_t>(std::lrint(clipped));
  }
}

}  // namespace

const ResampleKernels kResamplePlain = {TilesOfOne, TilesOfEach, Contain, FromInt16, ToInt16};

const ResampleKernels& ResampleKernelsFor(Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::kAvx2:
      return kResampleAvx2;
    case Isa::kAvx512:
      return kResampleAvx512;
#endif
#if defined(__aarch64__)
    case Isa::kNeon:
      return kResampleNeon;
#endif
    default:
      return kResamplePlain;
  }
}

}  // namespace trunkline::dsp
