#include "tts/generator_lanes.h"

namespace trunkline::tts {
namespace {

struct Sixteen {
  using Vector = float __attribute__((vector_size(64)));
  static constexpr int kWidth = 16, kRows = 12;
};

}  // namespace

const GeneratorKernels& Avx512GeneratorKernels() {
  static const GeneratorKernels kernels = LaneKernels<Sixteen>("avx512");
  return kernels;
}

}  // namespace trunkline::tts
