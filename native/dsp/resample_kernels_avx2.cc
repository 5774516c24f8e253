#include <immintrin.h>

#include "dsp/resample_kernels.h"

namespace trunkline::dsp {
namespace {

// A tile is two vectors of eight outputs here; with even and odd rows apart, three tiles fill twelve
// registers.
template <int kTiles>
inline void Together(const float* x, ptrdiff_t step, const float* table, int rows, float* out,
                     ptrdiff_t out_step) {
  __m256 sum[kTiles][4];
  for (int i = 0; i < kTiles; ++i) {
    for (int k = 0; k < 4; ++k) sum[i][k] = _mm256_setzero_ps();
  }
  for (int p = 0; p < rows; p += 2, table += 2 * kTile) {
#pragma GCC unroll 2
    for (int parity = 0; parity < 2; ++parity) {
      const __m256 left = _mm256_load_ps(table + parity * kTile);
      const __m256 right = _mm256_load_ps(table + parity * kTile + 8);
#pragma GCC unroll 4
      for (int i = 0; i < kTiles; ++i) {
        const __m256 sample = _mm256_broadcast_ss(x + i * step + p + parity);
        sum[i][2 * parity] = _mm256_fmadd_ps(sample, left, sum[i][2 * parity]);
        sum[i][2 * parity + 1] = _mm256_fmadd_ps(sample, right, sum[i][2 * parity + 1]);
      }
    }
  }
  for (int i = 0; i < kTiles; ++i) {
    _mm256_storeu_ps(out + i * out_step, _mm256_add_ps(sum[i][0], sum[i][2]));
    _mm256_storeu_ps(out + i * out_step + 8, _mm256_add_ps(sum[i][1], sum[i][3]));
  }
}

void TilesOfOne(const float* x, ptrdiff_t x_step, const float* table, int rows, int tiles, float* out,
                ptrdiff_t out_step) {
  while (tiles >= 3) {
    Together<3>(x, x_step, table, rows, out, out_step);
    x += 3 * x_step, out += 3 * out_step, tiles -= 3;
  }
  if (tiles == 2) Together<2>(x, x_step, table, rows, out, out_step);
  if (tiles == 1) Together<1>(x, x_step, table, rows, out, out_step);
}

template <int kTiles>
inline void Apart(const float* const* x, const float* const* tables, int rows, float* out) {
  __m256 sum[kTiles][4];
  for (int i = 0; i < kTiles; ++i) {
    for (int k = 0; k < 4; ++k) sum[i][k] = _mm256_setzero_ps();
  }
  for (int p = 0; p < rows; ++p) {
    const int parity = 2 * (p & 1);
#pragma GCC unroll 2
    for (int i = 0; i < kTiles; ++i) {
      const float* row = tables[i] + p * kTile;
      const __m256 sample = _mm256_broadcast_ss(x[i] + p);
      sum[i][parity] = _mm256_fmadd_ps(sample, _mm256_load_ps(row), sum[i][parity]);
      sum[i][parity + 1] = _mm256_fmadd_ps(sample, _mm256_load_ps(row + 8), sum[i][parity + 1]);
    }
  }
  for (int i = 0; i < kTiles; ++i) {
    _mm256_storeu_ps(out + i * kTile, _mm256_add_ps(sum[i][0], sum[i][2]));
    _mm256_storeu_ps(out + i * kTile + 8, _mm256_add_ps(sum[i][1], sum[i][3]));
  }
}

void TilesOfEach(const float* const* x, const float* const* tables, int rows, int tiles, float* out) {
  for (; tiles >= 2; tiles -= 2, x += 2, tables += 2, out += 2 * kTile) Apart<2>(x, tables, rows, out);
  if (tiles == 1) Apart<1>(x, tables, rows, out);
}

void Contain(const float* in, float* out, long count, float* held) {
  const __m256 largest = _mm256_set1_ps(resample::kLargest), smallest = _mm256_set1_ps(resample::kSmallest);
  const __m256 magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  long i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 value = _mm256_loadu_ps(in + i);
    const __m256 size = _mm256_and_ps(value, magnitude);
    if (_mm256_movemask_ps(_mm256_cmp_ps(size, largest, _CMP_LE_OQ)) != 0xff) {
      for (long k = i; k < i + 8; ++k) out[k] = resample::ContainSample(in[k], held);
      continue;
    }
    _mm256_storeu_ps(out + i, _mm256_and_ps(_mm256_cmp_ps(size, smallest, _CMP_GE_OQ), value));
    *held = out[i + 7];
  }
  for (; i < count; ++i) out[i] = resample::ContainSample(in[i], held);
}

void FromInt16(const int16_t* in, float* out, long count) {
  const __m256 scale = _mm256_set1_ps(1.0f / 32768);
  long i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256i wide = _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i)));
    _mm256_storeu_ps(out + i, _mm256_mul_ps(_mm256_cvtepi32_ps(wide), scale));
  }
  for (; i < count; ++i) out[i] = static_cast<float>(in[i]) * (1.0f / 32768);
}

__m256i ToInt32(__m256 value) {
  const __m256 scaled = _mm256_mul_ps(value, _mm256_set1_ps(32768.0f));
  // The clip below 2^31 keeps the conversion defined; packing saturates to 16 bits.
  return _mm256_cvtps_epi32(
      _mm256_min_ps(_mm256_max_ps(scaled, _mm256_set1_ps(-40000.0f)), _mm256_set1_ps(40000.0f)));
}

void ToInt16(const float* in, int16_t* out, long count) {
  long i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m256i pair =
        _mm256_packs_epi32(ToInt32(_mm256_loadu_ps(in + i)), ToInt32(_mm256_loadu_ps(in + i + 8)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm256_permute4x64_epi64(pair, 0xd8));
  }
  for (; i < count; ++i) {
    const float scaled = in[i] * 32768.0f;
    const float clipped = scaled < -32768.0f ? -32768.0f : scaled > 32767.0f ? 32767.0f : scaled;
    out[i] = static_cast<int16_t>(_mm_cvtss_si32(_mm_set_ss(clipped)));
  }
}

}  // namespace

const ResampleKernels kResampleAvx2 = {TilesOfOne, TilesOfEach, Contain, FromInt16, ToInt16};

}  // namespace trunkline::dsp
