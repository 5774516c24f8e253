// Voice cloning by blending styles: finds the blend that sounds most like a speaker, a step at a time. The
// result is similar and not the same, because the styles are those of other people; the speaker similarity is
// reported. Blends are ranked by their styles' embeddings; only the most promising are synthesized and
// measured, with and without a spectral tilt towards the speaker's.
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
  // Measured on the synthesized voice: the cosine of both speaker embeddings, and the distance of the
  // spectra.
  float similarity = -1;
  float spectrum_db = 0;

  // Ranks fits: a spectrum that is nearer by 10 dB is worth a tenth of similarity.
  float score() const { return similarity - 0.01F * spectrum_db; }
};

class VoiceFit {
 public:
  VoiceFit(std::shared_ptr<SpeechModels> models, std::shared_ptr<speaker::Embedder> speakers,
           std::shared_ptr<StyleProfiles> profiles, VoiceSpec voice, std::vector<std::string> styles,
           VoiceSample sample);

  // Runs the voice's model or the speaker model once. Returns true when the best is found.
  base::Result<bool> Step(const onnx::RunOptions* run);
  const FittedVoice& best() const { return best_; }
  float progress() const;

 private:
  struct Known {
    std::string style;
    StyleProfile profile;
    float similarity = 0;
  };

  struct Trial {
    FittedVoice voice;
    std::unique_ptr<KokoroClause> clause;  // read, and not yet synthesized
    std::vector<float> spoken;             // at speaker::kRate, not yet measured
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
  std::vector<Known> known_;
  bool planned_ = false;
  std::vector<FittedVoice> blends_;
  size_t next_blend_ = 0;
  const speaker::Mel mel_;
  Trial trial_;
  FittedVoice best_;
};

}  // namespace trunkline::tts
