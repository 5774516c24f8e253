#include "tts/generator_lanes.h"

namespace trunkline::tts {
namespace {

struct Eight {
  using Vector = float __attribute__((vector_size(32)));
  static constexpr int kWidth = 8, kRows = 6;
};

}  // namespace

const GeneratorKernels& Avx2GeneratorKernels() {
  static const GeneratorKernels kernels = LaneKernels<Eight>("avx2");
  return kernels;
}

}  // namespace trunkline::tts
