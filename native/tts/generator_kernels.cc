#include "tts/generator_kernels.h"

#include "base/cpu.h"
#include "tts/generator_lanes.h"

namespace trunkline::tts {
namespace {

struct Four {
  using Vector = float __attribute__((vector_size(16)));
  static constexpr int kWidth = 4, kRows = 4;
};

}  // namespace

const GeneratorKernels& PlainGeneratorKernels() {
  static const GeneratorKernels kernels = LaneKernels<Four>("plain");
  return kernels;
}

std::vector<const GeneratorKernels*> RunnableGeneratorKernels() {
  std::vector<const GeneratorKernels*> list;
#if defined(__x86_64__)
  const base::CpuFeatures& cpu = base::Cpu();
  if (cpu.amx_bf16) {
    if (const auto* tiles = AmxGeneratorKernels()) list.push_back(tiles);
  }
  if (cpu.avx512) list.push_back(&Avx512GeneratorKernels());
  if (cpu.avx2) list.push_back(&Avx2GeneratorKernels());
#elif defined(__aarch64__)
  if (base::Cpu().neon) list.push_back(&NeonGeneratorKernels());
#endif
  list.push_back(&PlainGeneratorKernels());
  return list;
}

const GeneratorKernels& BestGeneratorKernels() {
  static const GeneratorKernels& best = *RunnableGeneratorKernels().front();
  return best;
}

}  // namespace trunkline::tts
