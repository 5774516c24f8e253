#include "dsp/watermark/marker_kernels.h"

#include "base/cpu.h"

namespace trunkline::watermark {

static void Mark(Filters& filters, float* samples, long count) {
  MarkSamples(filters, samples, count);
}

extern const MarkKernel kMarkPlain = Mark;

MarkKernel BestMarkKernel() {
#if defined(__x86_64__)
  if (base::Cpu().avx2) return kMarkAvx2;
#endif
  return kMarkPlain;
}

}  // namespace trunkline::watermark
