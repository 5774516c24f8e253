// Who speaks, as a vector: recordings of one speaker point the same way (cosine about 0.8 at 3 s), of two do
// not (0.3). Not for the realtime path.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "onnx/session.h"
#include "tts/mel.h"

namespace trunkline::tts {

inline constexpr int kSpeakerRate = kMelRate;

class SpeakerVector {
 public:
  static base::Result<std::unique_ptr<SpeakerVector>> Load(const std::shared_ptr<onnx::Runtime>& runtime,
                                                           const std::string& model,
                                                           const onnx::SessionOptions& options);

  // Of length 1. `samples` at kSpeakerRate, full scale 1; less than 0.8 s is filled up with silence.
  base::Result<std::vector<float>> Of(std::span<const float> samples, const onnx::RunOptions* run) const;

 private:
  SpeakerVector() = default;
  std::unique_ptr<onnx::Session> session_;
  Mel mel_;
};

float Cosine(std::span<const float> a, std::span<const float> b);

}  // namespace trunkline::tts
