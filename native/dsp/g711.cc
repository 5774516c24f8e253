#include "dsp/g711.h"

#include <algorithm>

#include "dsp/cpu.h"
#include "dsp/g711_kernels.h"

namespace trunkline::dsp {
namespace {

void DecodeUlawPlain(const uint8_t* in, int16_t* out, long count) {
  for (long i = 0; i < count; ++i) out[i] = g711::DecodeUlawSample(in[i]);
}
void DecodeAlawPlain(const uint8_t* in, int16_t* out, long count) {
  for (long i = 0; i < count; ++i) out[i] = g711::DecodeAlawSample(in[i]);
}
void EncodeUlawPlain(const int16_t* in, uint8_t* out, long count) {
  for (long i = 0; i < count; ++i) out[i] = g711::EncodeUlawSample(in[i]);
}
void EncodeAlawPlain(const int16_t* in, uint8_t* out, long count) {
  for (long i = 0; i < count; ++i) out[i] = g711::EncodeAlawSample(in[i]);
}

const G711Kernels& Best() {
  static const G711Kernels& best = G711KernelsFor(BestIsa());
  return best;
}

template <typename In, typename Out>
long Count(std::span<In> in, std::span<Out> out) {
  return static_cast<long>(std::min(in.size(), out.size()));
}

}  // namespace

const G711Kernels kG711Plain = {DecodeUlawPlain, DecodeAlawPlain, EncodeUlawPlain, EncodeAlawPlain};

const G711Kernels& G711KernelsFor(Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::kAvx2:
      return kG711Avx2;
    case Isa::kAvx512:
      return kG711Avx512;
#endif
#if defined(__aarch64__)
    case Isa::kNeon:
      return kG711Neon;
#endif
    default:
      return kG711Plain;
  }
}

void DecodeUlaw(std::span<const uint8_t> in, std::span<int16_t> out) {
  Best().decode_ulaw(in.data(), out.data(), Count(in, out));
}
void DecodeAlaw(std::span<const uint8_t> in, std::span<int16_t> out) {
  Best().decode_alaw(in.data(), out.data(), Count(in, out));
}
void EncodeUlaw(std::span<const int16_t> in, std::span<uint8_t> out) {
  Best().encode_ulaw(in.data(), out.data(), Count(in, out));
}
void EncodeAlaw(std::span<const int16_t> in, std::span<uint8_t> out) {
  Best().encode_alaw(in.data(), out.data(), Count(in, out));
}

}  // namespace trunkline::dsp
