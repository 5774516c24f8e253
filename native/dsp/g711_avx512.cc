// GCC 12 calls its own intrinsics' deliberately undefined lanes uninitialized.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include "dsp/g711_kernels.h"

namespace trunkline::dsp {
namespace {

constexpr long kWords = 32;  // 16-bit samples in a vector

__mmask32 First(long count) {
  return count >= kWords ? ~__mmask32{0} : (__mmask32{1} << count) - 1;
}
__mmask64 FirstBytes(long count) {
  return count >= 64 ? ~__mmask64{0} : (__mmask64{1} << count) - 1;
}

// ((~m & 15) * 8 + 132) << e, less 132; vpternlog takes the inverted mantissa and the bias in one step.
__m512i DecodeUlaw32(__m256i codes) {
  const __m512i wide = _mm512_cvtepu8_epi16(codes);
  const __m512i exponent = _mm512_andnot_si512(_mm512_srli_epi16(wide, 4), _mm512_set1_epi16(7));
  const __m512i biased =
      _mm512_ternarylogic_epi64(_mm512_slli_epi16(wide, 3), _mm512_set1_epi16(0x78), _mm512_set1_epi16(132),
                                0xae);  // (~a & b) | c
  const __m512i magnitude = _mm512_sub_epi16(_mm512_sllv_epi16(biased, exponent), _mm512_set1_epi16(132));
  const __mmask32 positive = _mm256_movepi8_mask(codes);
  return _mm512_mask_sub_epi16(magnitude, ~positive, _mm512_setzero_si512(), magnitude);
}

__m512i DecodeAlaw32(__m256i codes) {
  const __m512i bits = _mm512_cvtepu8_epi16(_mm256_xor_si256(codes, _mm256_set1_epi8(0x55)));
  const __m512i exponent = _mm512_and_si512(_mm512_srli_epi16(bits, 4), _mm512_set1_epi16(7));
  // (a & b) | c: mantissa in place, half a step added.
  const __m512i step = _mm512_ternarylogic_epi64(_mm512_slli_epi16(bits, 4), _mm512_set1_epi16(0xf0),
                                                 _mm512_set1_epi16(8), 0xea);
  const __mmask32 normal = _mm512_test_epi16_mask(exponent, exponent);
  const __m512i whole = _mm512_or_si512(step, _mm512_maskz_set1_epi16(normal, 0x100));
  const __m512i magnitude = _mm512_sllv_epi16(whole, _mm512_subs_epu16(exponent, _mm512_set1_epi16(1)));
  const __mmask32 positive = _mm256_movepi8_mask(codes);
  return _mm512_mask_sub_epi16(magnitude, ~positive, _mm512_setzero_si512(), magnitude);
}

// floor(log2) of a value of eight bits through two shuffles. A shuffle ignores bits 4 to 6 of an index
// and gives 0 where bit 7 is set, so the lower nibble needs no mask: the upper one then outweighs its
// result.
__m512i Log2(__m512i low, __m512i high, __m512i low_table, __m512i high_table) {
  return _mm512_max_epi16(_mm512_shuffle_epi8(low_table, low), _mm512_shuffle_epi8(high_table, high));
}

__m512i Table(long long low_half, long long high_half) {
  return _mm512_broadcast_i64x2(_mm_set_epi64x(high_half, low_half));
}

__m512i EncodeUlaw32(__m512i samples) {
  const __m512i sign = _mm512_srai_epi16(samples, 15);
  // Saturation is the clip: 32,635 and all above it end at 32,767.
  const __m512i biased = _mm512_adds_epi16(_mm512_xor_si512(samples, sign), _mm512_set1_epi16(132));
  const __m512i exponent =
      Log2(_mm512_srli_epi16(biased, 7), _mm512_srli_epi16(biased, 11),
           Table(0x0202020201010000, 0x0303030303030303), Table(0x0606060605050400, 0x0707070707070707));
  const __m512i mantissa = _mm512_srlv_epi16(_mm512_srli_epi16(biased, 3), exponent);
  const __m512i code =
      _mm512_add_epi16(_mm512_slli_epi16(exponent, 4), _mm512_sub_epi16(mantissa, _mm512_set1_epi16(16)));
  return _mm512_ternarylogic_epi64(code, _mm512_and_si512(sign, _mm512_set1_epi16(0x80)),
                                   _mm512_set1_epi16(0xff),
                                   0x96);  // a ^ b ^ c
}

__m512i EncodeAlaw32(__m512i samples) {
  const __m512i sign = _mm512_srai_epi16(samples, 15);
  const __m512i magnitude = _mm512_xor_si512(samples, sign);
  const __m512i shift =
      Log2(_mm512_srli_epi16(magnitude, 8), _mm512_srli_epi16(magnitude, 12),
           Table(0x0202020201010000, 0x0303030303030303), Table(0x0606060605050400, 0x0707070707070707));
  const __m512i code = _mm512_add_epi16(_mm512_slli_epi16(shift, 4),
                                        _mm512_srlv_epi16(_mm512_srli_epi16(magnitude, 4), shift));
  return _mm512_ternarylogic_epi64(code, _mm512_and_si512(sign, _mm512_set1_epi16(0x80)),
                                   _mm512_set1_epi16(0xd5), 0x96);
}

template <__m512i (*kDecode)(__m256i)>
void Decode(const uint8_t* in, int16_t* out, long count) {
  long i = 0;
  for (; i + kWords <= count; i += kWords) {
    _mm512_storeu_si512(out + i, kDecode(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i))));
  }
  if (i < count) {
    const __mmask32 rest = First(count - i);
    _mm512_mask_storeu_epi16(out + i, rest, kDecode(_mm256_maskz_loadu_epi8(rest, in + i)));
  }
}

template <__m512i (*kEncode)(__m512i)>
void Encode(const int16_t* in, uint8_t* out, long count) {
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);  // undoes the lanes of packus
  for (long i = 0; i < count; i += 2 * kWords) {
    const long rest = count - i;
    __m512i first, second;
    if (rest >= 2 * kWords) {
      first = _mm512_loadu_si512(in + i);
      second = _mm512_loadu_si512(in + i + kWords);
    } else {
      first = _mm512_maskz_loadu_epi16(First(rest), in + i);
      second = _mm512_maskz_loadu_epi16(rest > kWords ? First(rest - kWords) : 0, in + i + kWords);
    }
    const __m512i codes =
        _mm512_permutexvar_epi64(order, _mm512_packus_epi16(kEncode(first), kEncode(second)));
    if (rest >= 2 * kWords) {
      _mm512_storeu_si512(out + i, codes);
    } else {
      _mm512_mask_storeu_epi8(out + i, FirstBytes(rest), codes);
    }
  }
}

}  // namespace

const G711Kernels kG711Avx512 = {Decode<DecodeUlaw32>, Decode<DecodeAlaw32>, Encode<EncodeUlaw32>,
                                 Encode<EncodeAlaw32>};

}  // namespace trunkline::dsp
