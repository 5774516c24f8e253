#include "dsp/watermark/embedder_kernels.h"

namespace trunkline::watermark {

static void Mark(Filters& filters, float* samples, long count) {
  EmbedSamples(filters, samples, count);
}

extern const EmbedKernel kEmbedAvx2 = Mark;

}  // namespace trunkline::watermark
