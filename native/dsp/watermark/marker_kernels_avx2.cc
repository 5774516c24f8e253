#include "dsp/watermark/marker_kernels.h"

namespace trunkline::watermark {

static void Mark(Filters& filters, float* samples, long count) {
  MarkSamples(filters, samples, count);
}

extern const MarkKernel kMarkAvx2 = Mark;

}  // namespace trunkline::watermark
