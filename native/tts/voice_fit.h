// Finds the blend of styles that sounds most like a speaker, a step at a time. It reaches a similar voice,
// not theirs: the styles are those of other people, and the likeness that was reached is told.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tts/speaker_vector.h"
#include "tts/speech_models.h"
#include "tts/voice_sample.h"

namespace trunkline::tts {

struct FittedVoice {
  std::vector<StylePart> styles;
  float pitch = 1;
  float similarity = -1;  // cosine of the two speakers' vectors
};

class VoiceFit {
 public:
  // `styles`: those to choose from.
  VoiceFit(std::shared_ptr<SpeechModels> models, std::shared_ptr<SpeakerVector> speakers, VoiceSpec voice,
           std::vector<std::string> styles, VoiceSample sample);

  // One style or blend tried. True when all were.
  base::Result<bool> Step(const onnx::RunOptions* run);
  const FittedVoice& best() const { return best_; }
  float progress() const;

 private:
  struct Tried {
    std::vector<StylePart> styles;
    float pitch = 1;
    float similarity = -1;
  };
  base::Result<Tried> Try(const std::vector<StylePart>& styles, const onnx::RunOptions* run);
  void PlanBlends();

  std::shared_ptr<SpeechModels> models_;
  std::shared_ptr<SpeakerVector> speakers_;
  VoiceSpec voice_;
  VoiceSample sample_;
  std::vector<std::vector<StylePart>> plan_;
  std::vector<Tried> tried_;
  bool blended_ = false;
  size_t next_ = 0;
  FittedVoice best_;
};

}  // namespace trunkline::tts
