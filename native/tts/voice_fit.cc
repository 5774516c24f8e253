#include "tts/voice_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "dsp/dsp.h"
#include "text/phonemes/phonemes.h"
#include "tts/spectrum.h"
#include "tts/tilt.h"

namespace trunkline::tts {

using base::Result;
using base::Status;

namespace {

constexpr std::string_view kSentence = "Thank you for calling, please tell me how I can help you today.";
// No voice is lower than this.
constexpr float kLowestHz = 50;
constexpr float kLowest = 0.8F, kHighest = 1.25F;
// The number of styles that may enter a blend, and the steps of their shares.
constexpr size_t kPromising = 6;
constexpr int kShares = 10;
// A style with a smaller share is inaudible.
constexpr int kMinShare = 2;
constexpr size_t kMaxFitted = 3;

// Enumerates the ways to divide kShares among `parts`.
void EachShares(std::vector<int>& shares, size_t part, int left,
                const std::function<void(const std::vector<int>&)>& visit) {
  if (part + 1 == shares.size()) {
    shares[part] = left;
    if (left >= kMinShare) visit(shares);
    return;
  }
  for (int share = kMinShare; share < left; ++share) {
    shares[part] = share;
    EachShares(shares, part + 1, left - share, visit);
  }
}

// Enumerates the choices of chosen.size() of `count`.
void EachChoice(std::vector<size_t>& chosen, size_t at, size_t from, size_t count,
                const std::function<void()>& visit) {
  if (at == chosen.size()) {
    visit();
    return;
  }
  for (size_t i = from; i < count; ++i) {
    chosen[at] = i;
    EachChoice(chosen, at + 1, i + 1, count, visit);
  }
}

}  // namespace

VoiceFit::VoiceFit(std::shared_ptr<SpeechModels> models, std::shared_ptr<speaker::Embedder> speakers,
                   std::shared_ptr<StyleProfiles> profiles, VoiceSpec voice, std::vector<std::string> styles,
                   VoiceSample sample)
    : models_(std::move(models)),
      speakers_(std::move(speakers)),
      profiles_(std::move(profiles)),
      voice_(std::move(voice)),
      sample_(std::move(sample)),
      styles_(std::move(styles)) {}

float VoiceFit::progress() const {
  const size_t blends = planned_ ? blends_.size() : std::min(styles_.size(), kMaxFitted);
  return static_cast<float>(known_.size() + next_blend_) / static_cast<float>(styles_.size() + blends);
}

Result<bool> VoiceFit::Step(const onnx::RunOptions* run) {
  if (!trial_.spoken.empty()) {
    TRUNKLINE_RETURN_IF_FAILED(Listen(run));
  } else if (trial_.clause != nullptr) {
    TRUNKLINE_RETURN_IF_FAILED(Speak(run));
  } else if (Begin()) {
    TRUNKLINE_RETURN_IF_FAILED(Read(run));
  } else {
    return true;
  }
  return false;
}

// Chooses the next candidate: a style without an embedding, then the blends. Returns false when
// none is left.
bool VoiceFit::Begin() {
  while (known_.size() < styles_.size()) {
    const std::string& style = styles_[known_.size()];
    StyleProfile profile;
    if (!profiles_->Find(style, profile)) {
      trial_.voice = {};
      trial_.voice.styles = {{style, 1}};
      return true;
    }
    known_.push_back({style, std::move(profile)});
  }
  if (!planned_) PlanBlends();
  if (next_blend_ == blends_.size()) return false;
  trial_.voice = blends_[next_blend_];
  return true;
}

void VoiceFit::PlanBlends() {
  planned_ = true;
  for (Known& known : known_) known.similarity = speaker::Cosine(known.profile.vector, sample_.vector);
  std::sort(known_.begin(), known_.end(),
            [](const Known& a, const Known& b) { return a.similarity > b.similarity; });
  for (size_t parts = 1; parts <= std::min(kMaxFitted, known_.size()); ++parts) PlanBest(parts);
}

// A blend's embedding is estimated from its styles'; it is measured afterwards.
void VoiceFit::PlanBest(size_t parts) {
  const size_t promising = std::min(kPromising, known_.size());
  FittedVoice best;
  std::vector<size_t> chosen(parts);
  std::vector<int> shares(parts);
  std::vector<float> sum(sample_.vector.size());
  const auto weigh = [&](const std::vector<int>& given) {
    std::fill(sum.begin(), sum.end(), 0.0F);
    float octaves = 0;
    for (size_t part = 0; part < parts; ++part) {
      const StyleProfile& profile = known_[chosen[part]].profile;
      const float share = static_cast<float>(given[part]) / kShares;
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += share * profile.vector[i];
      octaves += share * std::log2(profile.pitch_hz);
    }
    const float similarity = speaker::Cosine(sum, sample_.vector);
    if (similarity <= best.similarity) return;
    best = {};
    best.similarity = similarity;
    for (size_t part = 0; part < parts; ++part) {
      best.styles.push_back({known_[chosen[part]].style, static_cast<float>(given[part]) / kShares});
    }
    // Sets the pitch to the speaker's, within a style's range.
    if (sample_.pitch_hz > 0)
      best.pitch = std::clamp(sample_.pitch_hz / std::exp2(octaves), kLowest, kHighest);
  };
  EachChoice(chosen, 0, 0, promising, [&] { EachShares(shares, 0, kShares, weigh); });
  if (!best.styles.empty()) blends_.push_back(std::move(best));
}

Status VoiceFit::Read(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto accent, models_->AccentOf(voice_));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto table, models_->styles().Get(trial_.voice.styles));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said, text::KokoroPhonemes(models_->phonemes(), kSentence, accent));
  const auto tokens = models_->kokoro().Encode(said);
  Prosody prosody;
  prosody.pitch = trial_.voice.pitch;
  TRUNKLINE_ASSIGN_OR_RETURN(trial_.clause,
                             models_->kokoro().Read(tokens, table->row(tokens.size()), prosody, run));
  return base::Ok();
}

Status VoiceFit::Speak(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto whole, models_->kokoro().Measure(*trial_.clause, run));
  trial_.clause.reset();
  trial_.spoken = dsp::ResampleWhole(whole.samples, kKokoroRate, speaker::kRate, dsp::Grade::kSpeech);
  return base::Ok();
}

Status VoiceFit::Listen(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto vector, speakers_->Of(trial_.spoken, run));
  if (!planned_) {
    const StyleProfile profile{std::move(vector),
                               std::max(kLowestHz, MedianPitch(trial_.spoken, speaker::kRate))};
    profiles_->Put(trial_.voice.styles[0].name, profile);
    known_.push_back({trial_.voice.styles[0].name, profile});
    trial_.spoken.clear();
  } else {
    Compare(vector);
  }
  return base::Ok();
}

// Measures a blend as it is, and with a tilt if that brings its spectrum nearer.
void VoiceFit::Compare(std::span<const float> vector) {
  const auto spectrum = MeanSpectrum(mel_.Power(trial_.spoken));
  const bool tilted = trial_.voice.tilt_db != 0;
  trial_.voice.similarity = speaker::Cosine(vector, sample_.vector);
  trial_.voice.spectrum_db = SpectrumDistance(spectrum, sample_.spectrum);
  if (best_.styles.empty() || trial_.voice.score() > best_.score()) best_ = trial_.voice;
  if (!tilted) trial_.voice.tilt_db = BestTilt(spectrum, sample_.spectrum);
  if (tilted || trial_.voice.tilt_db == 0) {
    trial_.spoken.clear();
    ++next_blend_;
    return;
  }
  TiltFilter tilt(speaker::kRate, trial_.voice.tilt_db);
  for (float& sample : trial_.spoken) sample = tilt.Next(sample);
}

}  // namespace trunkline::tts
