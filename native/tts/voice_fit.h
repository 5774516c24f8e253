// Finds the blend of styles that sounds most like a speaker, a step at a time. It reaches a similar voice,
// not theirs: the styles are those of other people, and the likeness that was reached is told. Blends are
// chosen by what is known of their styles; only the few most promising are spoken, and heard: as they are,
// and with high tones tilted against low as the speaker's spectrum has them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "speaker/speaker.h"
#include "tts/speech_models.h"
#include "tts/style_profiles.h"
#include "tts/voice_sample.h"

namespace trunkline::tts {

struct FittedVoice {
  std::vector<StylePart> styles;
  float pitch = 1;
  float tilt_db = 0;
  // Of what was really spoken: the cosine of the two speakers' vectors, and how far the spectra lie apart.
  float similarity = -1;
  float spectrum_db = 0;

  // By which fits are compared: a spectrum that is nearer by 10 dB is worth a tenth of likeness.
  float score() const { return similarity - 0.01F * spectrum_db; }
};

class VoiceFit {
 public:
  // `styles`: those to choose from.
  VoiceFit(std::shared_ptr<SpeechModels> models, std::shared_ptr<speaker::Embedder> speakers,
           std::shared_ptr<StyleProfiles> profiles, VoiceSpec voice, std::vector<std::string> styles,
           VoiceSample sample);

  // One run of the voice's model, or one speaker's vector. True when the best is found.
  base::Result<bool> Step(const onnx::RunOptions* run);
  const FittedVoice& best() const { return best_; }
  float progress() const;

 private:
  struct Known {
    std::string style;
    StyleProfile profile;
    float likeness = 0;
  };

  // What is being spoken.
  struct Trial {
    FittedVoice voice;
    std::unique_ptr<KokoroClause> clause;  // read, and not yet spoken
    std::vector<float> spoken;             // at speaker::kRate, not yet heard
  };

  bool Begin();
  void PlanBlends();
  void PlanBest(size_t parts);
  base::Status Read(const onnx::RunOptions* run);
  base::Status Speak(const onnx::RunOptions* run);
  base::Status Listen(const onnx::RunOptions* run);
  void Compare(std::span<const float> vector);

  const std::shared_ptr<SpeechModels> models_;
  const std::shared_ptr<speaker::Embedder> speakers_;
  const std::shared_ptr<StyleProfiles> profiles_;
  const VoiceSpec voice_;
  const VoiceSample sample_;
  const std::vector<std::string> styles_;
  std::vector<Known> known_;  // of the styles, in their order until blends are planned
  bool planned_ = false;
  std::vector<FittedVoice> blends_;
  size_t next_blend_ = 0;
  const speaker::Mel mel_;
  Trial trial_;
  FittedVoice best_;
};

}  // namespace trunkline::tts
