// Embeds a watermark into speech as it is synthesized: filters add or remove a little of each band. There is
// no delay, and any split of the audio gives the same result. Realtime: no lock, no allocation after
// construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dsp/watermark/embedder_kernels.h"
#include "dsp/watermark/pattern.h"

namespace trunkline::watermark {

// The gain of a cell, up or down.
inline constexpr double kDepthDb = 1.2;

class WatermarkEmbedder {
 public:
  WatermarkEmbedder(const WatermarkCode& code, int rate, EmbedKernel kernel = BestEmbedKernel());

  void Process(std::span<float> samples);

 private:
  void BeginCell();
  void EndRamp();

  const Pattern pattern_;
  const EmbedKernel kernel_;
  const int rate_;
  const uint64_t ramp_;  // samples over which the gains change from one cell's to the next one's
  uint64_t cell_ = 0, at_ = 0, ramped_ = 0, next_ = 0;
  std::array<float, kBands> louder_{};
  Filters filters_{};
};

}  // namespace trunkline::watermark
