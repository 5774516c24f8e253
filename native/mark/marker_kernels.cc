#include "mark/marker_kernels.h"

#include "dsp/cpu.h"

namespace trunkline::mark {

static void Mark(Filters& filters, float* samples, long count) {
  MarkSamples(filters, samples, count);
}

extern const MarkKernel kMarkPlain = Mark;

MarkKernel BestMarkKernel() {
#if defined(__x86_64__)
  if (dsp::IsaSupported(dsp::Isa::kAvx2)) return kMarkAvx2;
#endif
  return kMarkPlain;
}

}  // namespace trunkline::mark
