#include "dsp/convert.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "dsp/cpu.h"
#include "dsp/resample_kernels.h"

namespace trunkline::dsp {
namespace {

const ResampleKernels& Kernels() {
  static const ResampleKernels& kernels = ResampleKernelsFor(BestIsa());
  return kernels;
}

}  // namespace

void FromWire(std::span<const uint8_t> bytes, std::vector<int16_t>& out) {
  out.resize(bytes.size() / 2);
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * 2);
}

void ToFloat(std::span<const int16_t> in, std::span<float> out) {
  Kernels().from_int16(in.data(), out.data(), static_cast<long>(std::min(in.size(), out.size())));
}

void ToInt16(std::span<const float> in, std::span<int16_t> out) {
  const size_t count = std::min(in.size(), out.size());
  std::array<float, 256> contained;
  float held = 0;
  for (size_t at = 0; at < count; at += contained.size()) {
    const long part = static_cast<long>(std::min(contained.size(), count - at));
    Kernels().contain(in.data() + at, contained.data(), part, &held);
    Kernels().to_int16(contained.data(), out.data() + at, part);
  }
}

void Contain(std::span<const float> in, std::span<float> out, float& held) {
  Kernels().contain(in.data(), out.data(), static_cast<long>(std::min(in.size(), out.size())), &held);
}

}  // namespace trunkline::dsp
