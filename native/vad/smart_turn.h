// The Smart Turn end-of-turn model: how likely it is that a speaker who has just paused has finished. About
// 40 ms a run: for the inference pool, never for a media thread.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "dsp/dsp.h"
#include "onnx/onnx.h"

namespace trunkline::vad {

class SmartTurn {
 public:
  static constexpr size_t kSamples = 8 * dsp::LogMel::kRate;

  static base::Result<std::unique_ptr<SmartTurn>> Open(const onnx::SessionOpener& open);

  // Uses the last 8 s of `samples` (16 kHz). Thread-safe.
  base::Result<float> Finished(std::span<const float> samples) const;
  // The same for several recordings in one run of the model; each gets the answer that it gets alone.
  base::Status Finished(std::span<const std::span<const float>> recordings,
                        std::span<float> probabilities) const;
  // Says whether several in one run are worth it: on the processor they take as long as one after the other.
  bool gains_from_batches() const { return model_->on_gpu(); }

 private:
  explicit SmartTurn(std::unique_ptr<onnx::Session> model) : model_(std::move(model)) {}

  std::unique_ptr<onnx::Session> model_;
  dsp::LogMel log_mel_;
};

}  // namespace trunkline::vad
