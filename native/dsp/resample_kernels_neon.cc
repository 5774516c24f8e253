#include <arm_neon.h>

#include "dsp/resample_kernels.h"

namespace trunkline::dsp {
namespace {

constexpr int kParts = kTile / 4;  // a tile is four vectors of four outputs

template <int kTiles>
inline void Together(const float* const* x, const float* const* tables, int rows, float* const* out) {
  float32x4_t sum[kTiles][2][kParts];
  for (auto& tile : sum) {
    for (auto& parity : tile) {
      for (auto& part : parity) part = vdupq_n_f32(0);
    }
  }
  for (int p = 0; p < rows; p += 2) {
    for (int parity = 0; parity < 2; ++parity) {
      for (int i = 0; i < kTiles; ++i) {
        const float* row = tables[i] + (p + parity) * kTile;
        const float sample = x[i][p + parity];
        for (int k = 0; k < kParts; ++k) {
          sum[i][parity][k] = vfmaq_n_f32(sum[i][parity][k], vld1q_f32(row + 4 * k), sample);
        }
      }
    }
  }
  for (int i = 0; i < kTiles; ++i) {
    for (int k = 0; k < kParts; ++k) vst1q_f32(out[i] + 4 * k, vaddq_f32(sum[i][0][k], sum[i][1][k]));
  }
}

void TilesOfOne(const float* x, ptrdiff_t x_step, const float* table, int rows, int tiles, float* out,
                ptrdiff_t out_step) {
  int i = 0;
  const float* const tables[] = {table, table};
  for (; i + 2 <= tiles; i += 2) {
    const float* const from[] = {x + i * x_step, x + (i + 1) * x_step};
    float* const to[] = {out + i * out_step, out + (i + 1) * out_step};
    Together<2>(from, tables, rows, to);
  }
  if (i < tiles) {
    const float* const from[] = {x + i * x_step};
    float* const to[] = {out + i * out_step};
    Together<1>(from, tables, rows, to);
  }
}

void TilesOfEach(const float* const* x, const float* const* tables, int rows, int tiles, float* out) {
  for (int i = 0; i < tiles; ++i) {
    float* const to[] = {out + i * kTile};
    Together<1>(x + i, tables + i, rows, to);
  }
}

void Contain(const float* in, float* out, long count, float* held) {
  for (long i = 0; i < count; ++i) out[i] = resample::ContainSample(in[i], held);
}

void FromInt16(const int16_t* in, float* out, long count) {
  long i = 0;
  for (; i + 4 <= count; i += 4) vst1q_f32(out + i, vcvtq_n_f32_s32(vmovl_s16(vld1_s16(in + i)), 15));
  for (; i < count; ++i) out[i] = static_cast<float>(in[i]) * (1.0f / 32768);
}

void ToInt16(const float* in, int16_t* out, long count) {
  long i = 0;
  for (; i + 4 <= count; i += 4) {
    const int32x4_t whole = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(in + i), 32768.0f));
    vst1_s16(out + i, vqmovn_s32(whole));
  }
  for (; i < count; ++i) {
    const int32_t whole = vcvtns_s32_f32(in[i] * 32768.0f);
    out[i] = vqmovns_s32(whole);
  }
}

}  // namespace

const ResampleKernels kResampleNeon = {TilesOfOne, TilesOfEach, Contain, FromInt16, ToInt16};

}  // namespace trunkline::dsp
