#include <immintrin.h>

#include "lanes/embed/nearest_kernels.h"

namespace trunkline::embed {

static __m256i Wide(const int8_t* from) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

// Products of 16 bits are summed in pairs to 32 bits, so nothing saturates.
static void Sums(const int8_t* rows, size_t count, const int8_t* query, size_t size, int32_t* sums) {
  for (size_t row = 0; row < count; ++row, rows += size) {
    __m256i all = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + 16 <= size; i += 16) {
      all = _mm256_add_epi32(all, _mm256_madd_epi16(Wide(rows + i), Wide(query + i)));
    }
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
    int32_t sum = _mm_cvtsi128_si32(half);
    for (; i < size; ++i) sum += rows[i] * query[i];
    sums[row] = sum;
  }
}

extern const SumKernel kSumsAvx2 = Sums;

}  // namespace trunkline::embed
