// Voice activity of a whole recording, some seconds a step, so that more urgent work may go in between.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vad/silero.h"

namespace trunkline::vad {

class RecordingActivity {
 public:
  // `samples` at 16 kHz, and there until the last step. A quiet recording is heard as if it were loud.
  RecordingActivity(std::shared_ptr<onnx::Session> model, std::span<const float> samples);

  // True when all was heard.
  base::Result<bool> Step();
  // How likely each whole frame of FrameSamples(VadRate::k16k) is speech.
  const std::vector<float>& likelihoods() const { return likelihoods_; }

 private:
  Silero silero_;
  VadState state_;
  const std::span<const float> samples_;
  float gain_ = 1;
  std::vector<float> likelihoods_;
};

}  // namespace trunkline::vad
