// GCC 12 calls its own intrinsics' deliberately undefined lanes uninitialized.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include "lanes/embed/nearest_kernels.h"

namespace trunkline::embed {

// VNNI multiplies unsigned by signed bytes, so 128 is added to each byte of a row and 128 times the query's
// sum is subtracted.
__attribute__((target("avx512vnni"))) static void Sums(const int8_t* rows, size_t count, const int8_t* query,
                                                       size_t size, int32_t* sums) {
  const __m512i sign = _mm512_set1_epi8(static_cast<char>(0x80));
  const size_t whole = size / 64 * 64;
  int32_t offset = 0;
  for (size_t i = 0; i < whole; ++i) offset += 128 * query[i];
  for (size_t row = 0; row < count; ++row, rows += size) {
    __m512i all = _mm512_setzero_si512();
    for (size_t i = 0; i < whole; i += 64) {
      const __m512i bytes = _mm512_xor_si512(_mm512_loadu_si512(rows + i), sign);
      all = _mm512_dpbusd_epi32(all, bytes, _mm512_loadu_si512(query + i));
    }
    int32_t sum = _mm512_reduce_add_epi32(all) - offset;
    for (size_t i = whole; i < size; ++i) sum += rows[i] * query[i];
    sums[row] = sum;
  }
}

extern const SumKernel kSumsVnni = Sums;

}  // namespace trunkline::embed
