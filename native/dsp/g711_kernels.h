// The kernel sets behind g711.h. A file compiled for one instruction set includes nothing that the linker
// could share with the rest (no standard templates, and `static` functions only): the linker keeps one copy
// of a shared inline function, which might be the one with instructions that another machine lacks.
#pragma once

#include <cstdint>

#include "dsp/isa.h"

namespace trunkline::dsp {

// One set of the four kernels; all sets give the same bytes.
struct G711Kernels {
  void (*decode_ulaw)(const uint8_t* in, int16_t* out, long count);
  void (*decode_alaw)(const uint8_t* in, int16_t* out, long count);
  void (*encode_ulaw)(const int16_t* in, uint8_t* out, long count);
  void (*encode_alaw)(const int16_t* in, uint8_t* out, long count);
};

// Precondition: IsaSupported(isa).
const G711Kernels& G711KernelsFor(Isa isa);

extern const G711Kernels kG711Plain;
extern const G711Kernels kG711Avx2;
extern const G711Kernels kG711Avx512;
extern const G711Kernels kG711Neon;

// Arithmetic of one sample, for the plain set and for the ends of vectors.
//
// Both laws are small floating-point formats: a sign, three bits of exponent e and four bits of mantissa m.
// u-law adds 132 first, so that every magnitude has a leading one; A-law has a linear first step instead.
namespace g711 {

constexpr int kUlawBias = 132;

static inline int Exponent(unsigned magnitude_over_128) {  // 1..255 -> 0..7
  return 31 - __builtin_clz(magnitude_over_128);
}

static inline int16_t DecodeUlawSample(uint8_t code) {
  const int bits = static_cast<uint8_t>(~code);
  const int magnitude = ((((bits & 15) << 3) + kUlawBias) << ((bits >> 4) & 7)) - kUlawBias;
  return static_cast<int16_t>(bits & 0x80 ? -magnitude : magnitude);
}

static inline int16_t DecodeAlawSample(uint8_t code) {
  const int bits = code ^ 0x55;
  const int exponent = (bits >> 4) & 7;
  const int step = ((bits & 15) << 4) + 8;
  const int magnitude = exponent == 0 ? step : (step + 0x100) << (exponent - 1);
  return static_cast<int16_t>(bits & 0x80 ? magnitude : -magnitude);
}

static inline uint8_t EncodeUlawSample(int16_t sample) {
  const int sign = sample < 0 ? 0x80 : 0;
  int biased = (sample < 0 ? ~sample : sample) + kUlawBias;
  if (biased > 32767) biased = 32767;
  const int exponent = Exponent(static_cast<unsigned>(biased) >> 7);
  // The shifted magnitude keeps its leading one (16), which the exponent's place takes back.
  const int code = 16 * exponent + (biased >> (exponent + 3)) - 16;
  return static_cast<uint8_t>(code ^ sign ^ 0xff);
}

static inline uint8_t EncodeAlawSample(int16_t sample) {
  const int magnitude = sample < 0 ? ~sample : sample;
  const int above = magnitude >> 9;
  // The first two steps are equally wide, so both shift by four.
  const int shift = above == 0 ? 0 : Exponent(static_cast<unsigned>(above)) + 1;
  const int code = 16 * shift + (magnitude >> (shift + 4));
  return static_cast<uint8_t>(code ^ (sample < 0 ? 0x55 : 0xd5));
}

}  // namespace g711
}  // namespace trunkline::dsp
