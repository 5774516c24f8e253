// GCC 12 calls its own intrinsics' deliberately undefined lanes uninitialized.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include "dsp/resample_kernels.h"

namespace trunkline::dsp {
namespace {

// A step known to the compiler turns each tile's address into a constant; 0 stands for one known only at run
// time.
template <int kTiles, int kStep>
inline void Together(const float* x, ptrdiff_t run_step, const float* table, int rows, float* out,
                     ptrdiff_t out_step) {
  const ptrdiff_t step = kStep != 0 ? kStep : run_step;
  __m512 even[kTiles], odd[kTiles];
  for (int i = 0; i < kTiles; ++i) even[i] = odd[i] = _mm512_setzero_ps();
  for (int p = 0; p < rows; p += 2) {
    const __m512 first = _mm512_load_ps(table + p * kTile);
#pragma GCC unroll 16
    for (int i = 0; i < kTiles; ++i) {
      even[i] = _mm512_fmadd_ps(_mm512_set1_ps(x[i * step + p]), first, even[i]);
    }
    const __m512 second = _mm512_load_ps(table + p * kTile + kTile);
#pragma GCC unroll 16
    for (int i = 0; i < kTiles; ++i) {
      odd[i] = _mm512_fmadd_ps(_mm512_set1_ps(x[i * step + p + 1]), second, odd[i]);
    }
  }
  for (int i = 0; i < kTiles; ++i) _mm512_storeu_ps(out + i * out_step, _mm512_add_ps(even[i], odd[i]));
}

template <int kStep>
void AllOfStep(const float* x, ptrdiff_t step, const float* table, int rows, int tiles, float* out,
               ptrdiff_t out_step) {
  const auto advance = [&](int count) {
    x += count * step;
    out += count * out_step;
    tiles -= count;
  };
  while (tiles >= 10) Together<10, kStep>(x, step, table, rows, out, out_step), advance(10);
  if (tiles >= 5) Together<5, kStep>(x, step, table, rows, out, out_step), advance(5);
  if (tiles >= 3) Together<3, kStep>(x, step, table, rows, out, out_step), advance(3);
  if (tiles >= 2) Together<2, kStep>(x, step, table, rows, out, out_step), advance(2);
  if (tiles >= 1) Together<1, kStep>(x, step, table, rows, out, out_step);
}

void TilesOfOne(const float* x, ptrdiff_t x_step, const float* table, int rows, int tiles, float* out,
                ptrdiff_t out_step) {
  switch (x_step) {
    case 8:
      return AllOfStep<8>(x, x_step, table, rows, tiles, out, out_step);
    case 16:
      return AllOfStep<16>(x, x_step, table, rows, tiles, out, out_step);
    case 24:
      return AllOfStep<24>(x, x_step, table, rows, tiles, out, out_step);
    case 32:
      return AllOfStep<32>(x, x_step, table, rows, tiles, out, out_step);
    case 48:
      return AllOfStep<48>(x, x_step, table, rows, tiles, out, out_step);
    default:
      return AllOfStep<0>(x, x_step, table, rows, tiles, out, out_step);
  }
}

template <int kTiles>
inline void Apart(const float* const* x, const float* const* tables, int rows, float* out) {
  __m512 even[kTiles], odd[kTiles];
  for (int i = 0; i < kTiles; ++i) even[i] = odd[i] = _mm512_setzero_ps();
  for (int p = 0; p < rows; p += 2) {
#pragma GCC unroll 8
    for (int i = 0; i < kTiles; ++i) {
      const float* row = tables[i] + p * kTile;
      even[i] = _mm512_fmadd_ps(_mm512_set1_ps(x[i][p]), _mm512_load_ps(row), even[i]);
      odd[i] = _mm512_fmadd_ps(_mm512_set1_ps(x[i][p + 1]), _mm512_load_ps(row + kTile), odd[i]);
    }
  }
  for (int i = 0; i < kTiles; ++i) _mm512_storeu_ps(out + i * kTile, _mm512_add_ps(even[i], odd[i]));
}

void TilesOfEach(const float* const* x, const float* const* tables, int rows, int tiles, float* out) {
  while (tiles >= 4) {
    Apart<4>(x, tables, rows, out);
    x += 4, tables += 4, out += 4 * kTile, tiles -= 4;
  }
  if (tiles >= 2) {
    Apart<2>(x, tables, rows, out);
    x += 2, tables += 2, out += 2 * kTile, tiles -= 2;
  }
  if (tiles == 1) Apart<1>(x, tables, rows, out);
}

void Contain(const float* in, float* out, long count, float* held) {
  const __m512 largest = _mm512_set1_ps(resample::kLargest), smallest = _mm512_set1_ps(resample::kSmallest);
  long i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512 value = _mm512_loadu_ps(in + i);
    const __m512 size = _mm512_abs_ps(value);
    if (_mm512_cmp_ps_mask(size, largest, _CMP_LE_OQ) != 0xffff) {
      for (long k = i; k < i + 16; ++k) out[k] = resample::ContainSample(in[k], held);
      continue;
    }
    _mm512_storeu_ps(out + i, _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(size, smallest, _CMP_GE_OQ), value));
    *held = out[i + 15];
  }
  for (; i < count; ++i) out[i] = resample::ContainSample(in[i], held);
}

void FromInt16(const int16_t* in, float* out, long count) {
  const __m512 scale = _mm512_set1_ps(1.0f / 32768);
  for (long i = 0; i < count; i += 16) {
    const __mmask16 lanes = count - i >= 16 ? 0xffff : static_cast<__mmask16>((1u << (count - i)) - 1);
    const __m512i wide = _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(lanes, in + i));
    _mm512_mask_storeu_ps(out + i, lanes, _mm512_mul_ps(_mm512_cvtepi32_ps(wide), scale));
  }
}

void ToInt16(const float* in, int16_t* out, long count) {
  const __m512 scale = _mm512_set1_ps(32768.0f), low = _mm512_set1_ps(-32768.0f),
               high = _mm512_set1_ps(32767.0f);
  for (long i = 0; i < count; i += 16) {
    const __mmask16 lanes = count - i >= 16 ? 0xffff : static_cast<__mmask16>((1u << (count - i)) - 1);
    const __m512 scaled = _mm512_mul_ps(_mm512_maskz_loadu_ps(lanes, in + i), scale);
    const __m512i whole = _mm512_cvtps_epi32(_mm512_min_ps(_mm512_max_ps(scaled, low), high));
    _mm256_mask_storeu_epi16(out + i, lanes, _mm512_cvtepi32_epi16(whole));
  }
}

}  // namespace

const ResampleKernels kResampleAvx512 = {TilesOfOne, TilesOfEach, Contain, FromInt16, ToInt16};

}  // namespace trunkline::dsp
