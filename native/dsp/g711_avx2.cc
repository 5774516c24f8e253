#include <immintrin.h>

#include "dsp/g711_kernels.h"

namespace trunkline::dsp {
namespace {

constexpr long kWords = 16;  // 16-bit samples in a vector

__m256i Table(long long low_half, long long high_half) {
  return _mm256_broadcastsi128_si256(_mm_set_epi64x(high_half, low_half));
}

// 16-bit lanes have no variable shift here, so a multiplication by a power of two, found by a shuffle,
// replaces it. Only the low byte of each lane holds an index; the high byte's result is masked away.
__m256i LowByteShuffle(__m256i table, __m256i index) {
  return _mm256_and_si256(_mm256_shuffle_epi8(table, index), _mm256_set1_epi16(0xff));
}

__m256i WithSign(__m256i magnitude, __m256i negative) {
  return _mm256_sub_epi16(_mm256_xor_si256(magnitude, negative), negative);
}

__m256i DecodeUlaw16(__m128i codes) {
  const __m256i bits = _mm256_cvtepu8_epi16(_mm_xor_si128(codes, _mm_set1_epi8(-1)));
  const __m256i exponent = _mm256_and_si256(_mm256_srli_epi16(bits, 4), _mm256_set1_epi16(7));
  const __m256i factor = LowByteShuffle(Table(static_cast<long long>(0x8040201008040201), 0), exponent);
  const __m256i bias = _mm256_set1_epi16(132);
  const __m256i step =
      _mm256_add_epi16(_mm256_slli_epi16(_mm256_and_si256(bits, _mm256_set1_epi16(15)), 3), bias);
  const __m256i magnitude = _mm256_sub_epi16(_mm256_mullo_epi16(step, factor), bias);
  return WithSign(magnitude, _mm256_cmpgt_epi16(bits, _mm256_set1_epi16(127)));
}

__m256i DecodeAlaw16(__m128i codes) {
  const __m256i bits = _mm256_cvtepu8_epi16(_mm_xor_si128(codes, _mm_set1_epi8(0x55)));
  const __m256i exponent = _mm256_and_si256(_mm256_srli_epi16(bits, 4), _mm256_set1_epi16(7));
  const __m256i factor = LowByteShuffle(Table(0x4020100804020101, 0), exponent);
  const __m256i normal = _mm256_cmpgt_epi16(exponent, _mm256_setzero_si256());
  const __m256i step = _mm256_or_si256(
      _mm256_slli_epi16(_mm256_and_si256(bits, _mm256_set1_epi16(15)), 4),
      _mm256_or_si256(_mm256_set1_epi16(8), _mm256_and_si256(normal, _mm256_set1_epi16(0x100))));
  const __m256i magnitude = _mm256_mullo_epi16(step, factor);
  return WithSign(magnitude, _mm256_cmpgt_epi16(_mm256_set1_epi16(128), bits));
}

struct Log2AndFactor {
  __m256i log2;
  __m256i factor;  // 2^(15 - log2), as an unsigned word
};

// The shuffle ignores bits 4 to 6 of an index and gives 0 where bit 7 is set, so `low` needs no mask.
Log2AndFactor Split(__m256i low, __m256i high) {
  const __m256i low_table = Table(0x0202020201010000, 0x0303030303030303);
  const __m256i high_table = Table(0x0606060605050400, 0x0707070707070707);
  const __m256i log2 =
      _mm256_max_epi16(_mm256_shuffle_epi8(low_table, low), _mm256_shuffle_epi8(high_table, high));
  // The factor's high byte is 2^(7 - log2): the shuffle's result moves up into it.
  const __m256i power = _mm256_shuffle_epi8(Table(0x0102040810204080, 0), log2);
  return {log2, _mm256_slli_epi16(power, 8)};
}

__m256i EncodeUlaw16(__m256i samples) {
  const __m256i sign = _mm256_srai_epi16(samples, 15);
  // Saturation is the clip: 32,635 and all above it end at 32,767.
  const __m256i biased = _mm256_adds_epi16(_mm256_xor_si256(samples, sign), _mm256_set1_epi16(132));
  const Log2AndFactor split = Split(_mm256_srli_epi16(biased, 7), _mm256_srli_epi16(biased, 11));
  // (biased >> 2) * 2^(15 - e) >> 16 is biased >> (e + 3).
  const __m256i mantissa = _mm256_mulhi_epu16(_mm256_srli_epi16(biased, 2), split.factor);
  const __m256i code =
      _mm256_add_epi16(_mm256_slli_epi16(split.log2, 4), _mm256_sub_epi16(mantissa, _mm256_set1_epi16(16)));
  const __m256i flip =
      _mm256_xor_si256(_mm256_and_si256(sign, _mm256_set1_epi16(0x80)), _mm256_set1_epi16(0xff));
  return _mm256_xor_si256(code, flip);
}

__m256i EncodeAlaw16(__m256i samples) {
  const __m256i sign = _mm256_srai_epi16(samples, 15);
  const __m256i magnitude = _mm256_xor_si256(samples, sign);
  const Log2AndFactor split = Split(_mm256_srli_epi16(magnitude, 8), _mm256_srli_epi16(magnitude, 12));
  const __m256i mantissa = _mm256_mulhi_epu16(_mm256_srli_epi16(magnitude, 3), split.factor);
  const __m256i code = _mm256_add_epi16(_mm256_slli_epi16(split.log2, 4), mantissa);
  const __m256i flip =
      _mm256_xor_si256(_mm256_and_si256(sign, _mm256_set1_epi16(0x80)), _mm256_set1_epi16(0xd5));
  return _mm256_xor_si256(code, flip);
}

template <__m256i (*kDecode)(__m128i), int16_t (*kDecodeSample)(uint8_t)>
void Decode(const uint8_t* in, int16_t* out, long count) {
  long i = 0;
  for (; i + kWords <= count; i += kWords) {
    const __m256i samples = kDecode(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), samples);
  }
  for (; i < count; ++i) out[i] = kDecodeSample(in[i]);
}

template <__m256i (*kEncode)(__m256i), uint8_t (*kEncodeSample)(int16_t)>
void Encode(const int16_t* in, uint8_t* out, long count) {
  long i = 0;
  for (; i + 2 * kWords <= count; i += 2 * kWords) {
    const __m256i first = kEncode(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i)));
    const __m256i second = kEncode(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i + kWords)));
    const __m256i codes = _mm256_permute4x64_epi64(_mm256_packus_epi16(first, second), 0xd8);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), codes);
  }
  for (; i < count; ++i) out[i] = kEncodeSample(in[i]);
}

}  // namespace

const G711Kernels kG711Avx2 = {
    Decode<DecodeUlaw16, g711::DecodeUlawSample>, Decode<DecodeAlaw16, g711::DecodeAlawSample>,
    Encode<EncodeUlaw16, g711::EncodeUlawSample>, Encode<EncodeAlaw16, g711::EncodeAlawSample>};

}  // namespace trunkline::dsp
