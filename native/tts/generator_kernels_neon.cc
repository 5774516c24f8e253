#include "tts/generator_lanes.h"

namespace trunkline::tts {
namespace {

// The sums, weights and inputs of a tile take 26 of the 32 registers.
struct Neon {
  using Vector = float __attribute__((vector_size(16)));
  static constexpr int kWidth = 4, kRows = 8;
};

}  // namespace

const GeneratorKernels& NeonGeneratorKernels() {
  static const GeneratorKernels kernels = LaneKernels<Neon>("neon");
  return kernels;
}

}  // namespace trunkline::tts
