#include "tts/voice_fit.h"

#include <algorithm>
#include <cmath>

#include "dsp/resampler.h"
#include "text/pronunciation.h"

namespace trunkline::tts {

using base::Result;

namespace {

constexpr std::string_view kSentence = "Thank you for calling, please tell me how I can help you today.";
constexpr float kLowest = 0.8F, kHighest = 1.25F;
// Shares of the three most alike styles.
constexpr float kBlends[][3] = {{0.7F, 0.3F, 0}, {0.5F, 0.5F, 0}, {0.5F, 0.3F, 0.2F}, {0.7F, 0, 0.3F}};

}  // namespace

VoiceFit::VoiceFit(std::shared_ptr<SpeechModels> models, std::shared_ptr<SpeakerVector> speakers,
                   VoiceSpec voice, std::vector<std::string> styles, VoiceSample sample)
    : models_(std::move(models)),
      speakers_(std::move(speakers)),
      voice_(std::move(voice)),
      sample_(std::move(sample)) {
  for (std::string& style : styles) plan_.push_back({{std::move(style), 1}});
}

float VoiceFit::progress() const {
  const size_t all = plan_.size() + (blended_ ? 0 : std::size(kBlends));
  return all == 0 ? 1 : static_cast<float>(next_) / static_cast<float>(all);
}

// The pitch is set to the speaker's own, within what a style bears.
Result<VoiceFit::Tried> VoiceFit::Try(const std::vector<StylePart>& styles, const onnx::RunOptions* run) {
  text::Accent accent;
  text::ParseAccent(voice_.accent, accent);
  TRUNKLINE_ASSIGN_OR_RETURN(const auto table, models_->styles().Get(styles));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said, text::KokoroPhonemes(models_->phonemes(), kSentence, accent));
  const auto tokens = models_->kokoro().Encode(said);
  const auto style = table->row(tokens.size());
  Tried tried{styles};
  TRUNKLINE_ASSIGN_OR_RETURN(auto clause, models_->kokoro().Front(tokens, style, Prosody{}, run));
  double sum = 0, count = 0;
  for (const float f0 : clause->f0) {
    if (f0 < 60) continue;
    sum += static_cast<double>(f0);
    ++count;
  }
  if (sample_.pitch_hz > 0 && count > 0) {
    const auto own = static_cast<float>(sum / count);
    tried.pitch = std::clamp(sample_.pitch_hz / own, kLowest, kHighest);
    const Prosody prosody{1, tried.pitch, 1, own};
    TRUNKLINE_ASSIGN_OR_RETURN(clause, models_->kokoro().Front(tokens, style, prosody, run));
  }
  TRUNKLINE_ASSIGN_OR_RETURN(const auto whole, models_->kokoro().Measure(*clause, run));
  const auto speech = dsp::ResampleWhole(whole.samples, kKokoroRate, kSpeakerRate, dsp::Grade::kSpeech);
  TRUNKLINE_ASSIGN_OR_RETURN(const auto vector, speakers_->Of(speech, run));
  tried.similarity = Cosine(vector, sample_.vector);
  return tried;
}

void VoiceFit::PlanBlends() {
  blended_ = true;
  std::sort(tried_.begin(), tried_.end(),
            [](const Tried& a, const Tried& b) { return a.similarity > b.similarity; });
  if (tried_.size() < 3) return;
  for (const auto& shares : kBlends) {
    std::vector<StylePart> blend;
    for (size_t i = 0; i < 3; ++i) {
      if (shares[i] > 0) blend.push_back({tried_[i].styles[0].name, shares[i]});
    }
    plan_.push_back(std::move(blend));
  }
}

Result<bool> VoiceFit::Step(const onnx::RunOptions* run) {
  if (next_ == plan_.size() && !blended_) PlanBlends();
  if (next_ == plan_.size()) return true;
  TRUNKLINE_ASSIGN_OR_RETURN(auto tried, Try(plan_[next_], run));
  ++next_;
  if (tried.similarity > best_.similarity) best_ = {tried.styles, tried.pitch, tried.similarity};
  if (!blended_) tried_.push_back(std::move(tried));
  return next_ == plan_.size() && blended_;
}

}  // namespace trunkline::tts
