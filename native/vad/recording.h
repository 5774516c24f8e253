// Voice activity of a whole recording, some seconds a step, so that more urgent work runs in between.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vad/silero.h"

namespace trunkline::vad {

class RecordingActivity {
 public:
  // `samples` at 16 kHz must live until the last step. A quiet recording is normalised first.
  RecordingActivity(std::shared_ptr<onnx::Session> model, std::span<const float> samples);

  // Returns true when the recording is done.
  base::Result<bool> Step();
  // The speech probability of each whole frame of FrameSamples(VadRate::k16k).
  const std::vector<float>& likelihoods() const { return likelihoods_; }

 private:
  Silero silero_;
  VadState state_;
  const std::span<const float> samples_;
  float gain_ = 1;
  std::vector<float> likelihoods_;
};

}  // namespace trunkline::vad
