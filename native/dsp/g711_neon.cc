#include <arm_neon.h>

#include "dsp/g711_kernels.h"

namespace trunkline::dsp {
namespace {

int16x8_t WithSign(int16x8_t magnitude, uint16x8_t negative) {
  return vbslq_s16(negative, vnegq_s16(magnitude), magnitude);
}

int16x8_t DecodeUlaw8(uint8x8_t codes) {
  const int16x8_t bits = vreinterpretq_s16_u16(vmovl_u8(vmvn_u8(codes)));
  const int16x8_t exponent = vandq_s16(vshrq_n_s16(bits, 4), vdupq_n_s16(7));
  const int16x8_t bias = vdupq_n_s16(g711::kUlawBias);
  const int16x8_t step = vaddq_s16(vshlq_n_s16(vandq_s16(bits, vdupq_n_s16(15)), 3), bias);
  const int16x8_t magnitude = vsubq_s16(vshlq_s16(step, exponent), bias);
  return WithSign(magnitude, vcgtq_s16(bits, vdupq_n_s16(127)));
}

int16x8_t DecodeAlaw8(uint8x8_t codes) {
  const int16x8_t bits = vreinterpretq_s16_u16(vmovl_u8(veor_u8(codes, vdup_n_u8(0x55))));
  const int16x8_t exponent = vandq_s16(vshrq_n_s16(bits, 4), vdupq_n_s16(7));
  const int16x8_t one = vdupq_n_s16(1);
  const int16x8_t normal = vandq_s16(vreinterpretq_s16_u16(vcgeq_s16(exponent, one)), vdupq_n_s16(0x100));
  const int16x8_t step = vaddq_s16(vshlq_n_s16(vandq_s16(bits, vdupq_n_s16(15)), 4), vdupq_n_s16(8));
  const int16x8_t shift = vsubq_s16(vmaxq_s16(exponent, one), one);
  return WithSign(vshlq_s16(vaddq_s16(step, normal), shift), vcltq_s16(bits, vdupq_n_s16(128)));
}

uint8x8_t Assemble(int16x8_t code, int16x8_t sign, int16_t flip) {
  const int16x8_t signs = vandq_s16(sign, vdupq_n_s16(0x80));
  return vmovn_u16(vreinterpretq_u16_s16(veorq_s16(veorq_s16(code, signs), vdupq_n_s16(flip))));
}

uint8x8_t EncodeUlaw8(int16x8_t samples) {
  const int16x8_t sign = vshrq_n_s16(samples, 15);
  const int16x8_t biased = vqaddq_s16(veorq_s16(samples, sign), vdupq_n_s16(g711::kUlawBias));
  const int16x8_t exponent = vsubq_s16(vdupq_n_s16(8), vclzq_s16(biased));  // log2 - 7, as log2 is 15 - clz
  const int16x8_t mantissa = vshlq_s16(vshrq_n_s16(biased, 3), vnegq_s16(exponent));
  const int16x8_t code = vaddq_s16(vshlq_n_s16(exponent, 4), vsubq_s16(mantissa, vdupq_n_s16(16)));
  return Assemble(code, sign, 0xff);
}

uint8x8_t EncodeAlaw8(int16x8_t samples) {
  const int16x8_t sign = vshrq_n_s16(samples, 15);
  const int16x8_t magnitude = veorq_s16(samples, sign);
  const int16x8_t shift = vmaxq_s16(vsubq_s16(vdupq_n_s16(7), vclzq_s16(magnitude)), vdupq_n_s16(0));
  const int16x8_t mantissa = vshlq_s16(vshrq_n_s16(magnitude, 4), vnegq_s16(shift));
  return Assemble(vaddq_s16(vshlq_n_s16(shift, 4), mantissa), sign, 0xd5);
}

template <int16x8_t (*kDecode)(uint8x8_t), int16_t (*kDecodeSample)(uint8_t)>
void Decode(const uint8_t* in, int16_t* out, long count) {
  long i = 0;
  for (; i + 8 <= count; i += 8) vst1q_s16(out + i, kDecode(vld1_u8(in + i)));
  for (; i < count; ++i) out[i] = kDecodeSample(in[i]);
}

template <uint8x8_t (*kEncode)(int16x8_t), uint8_t (*kEncodeSample)(int16_t)>
void Encode(const int16_t* in, uint8_t* out, long count) {
  long i = 0;
  for (; i + 8 <= count; i += 8) vst1_u8(out + i, kEncode(vld1q_s16(in + i)));
  for (; i < count; ++i) out[i] = kEncodeSample(in[i]);
}

}  // namespace

const G711Kernels kG711Neon = {
    Decode<DecodeUlaw8, g711::DecodeUlawSample>, Decode<DecodeAlaw8, g711::DecodeAlawSample>,
    Encode<EncodeUlaw8, g711::EncodeUlawSample>, Encode<EncodeAlaw8, g711::EncodeAlawSample>};

}  // namespace trunkline::dsp
