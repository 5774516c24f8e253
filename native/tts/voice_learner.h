// Measures a voice's calibration on a few typical sentences of calls, one graph run a step, so that more
// urgent work can run in between.
#pragma once

#include <memory>

#include "base/status.h"
#include "tts/calibration.h"
#include "tts/speech_models.h"
#include "tts/voice.h"

namespace trunkline::tts {

class VoiceLearner {
 public:
  VoiceLearner(std::shared_ptr<SpeechModels> models, VoiceSpec voice);

  // Returns null while there is more to do. A calibrated voice takes one step.
  base::Result<std::shared_ptr<const Calibration>> Step(const onnx::RunOptions* run);

 private:
  class ActivePower {
   public:
    void Add(std::span<const float> samples, size_t frame);
    // The gain that brings the mean to the common loudness.
    float Gain() const;

   private:
    double sum_ = 0;
    size_t count_ = 0;
  };

  base::Status Read(const onnx::RunOptions* run);
  base::Status ReadPiper(std::string_view sentence, text::Accent accent, const onnx::RunOptions* run);
  base::Status ListenToHibari(std::string_view sentence, text::Accent accent, const onnx::RunOptions* run);
  base::Status ListenToGraph(std::string_view sentence, text::Accent accent, const onnx::RunOptions* run);
  void AddPitch(std::span<const float> hertz);
  base::Status Listen(const onnx::RunOptions* run);
  base::Status ListenToPiper(const onnx::RunOptions* run);
  Calibration Learnt() const;

  const std::shared_ptr<SpeechModels> models_;
  const VoiceSpec voice_;
  size_t sentence_ = 0;
  std::unique_ptr<KokoroClause> clause_;  // read, and not yet measured
  std::shared_ptr<const Piper> piper_;
  std::unique_ptr<PiperStream> stream_;  // the same for Piper
  ActivePower power_;
  // The values of each sentence: the inverse of its length, and its means.
  std::vector<double> inverses_;
  std::vector<std::vector<float>> means_;
  double voiced_ = 0, hertz_ = 0;
};

}  // namespace trunkline::tts
