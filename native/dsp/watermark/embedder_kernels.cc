#include "dsp/watermark/embedder_kernels.h"

#include "base/cpu.h"

namespace trunkline::watermark {

static void Mark(Filters& filters, float* samples, long count) {
  EmbedSamples(filters, samples, count);
}

extern const EmbedKernel kEmbedPlain = Mark;

EmbedKernel BestEmbedKernel() {
#if defined(__x86_64__)
  if (base::Cpu().avx2) return kEmbedAvx2;
#endif
  return kEmbedPlain;
}

}  // namespace trunkline::watermark
