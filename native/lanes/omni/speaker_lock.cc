#include "lanes/omni/speaker_lock.h"

#include <algorithm>
#include <cmath>

namespace trunkline::omni {
namespace {

// The caller's level and voice are means of at most this much speech, so that they follow the caller.
constexpr double kMaxLearnedS = 15;
// The gate lies this far above the others' level where that is known, and at most so far below the caller's.
constexpr float kAboveOthersDb = 3, kMinBelowDb = 2;
// Speech that is no quieter than the caller's by this is not another's by its level alone.
constexpr float kSofterDb = 3;
// A short piece of speech must resemble a known other by this much more than the caller.
constexpr float kRather = 0.15f;
// A voice as loud as the caller's, under the agent's, is another's where it is less similar than this to the caller's. The
// vector of less speech than kMinVectorS does not say so.
constexpr float kUnlike = 0.38f;
constexpr double kMinVectorS = 0.8;
// The weight of the newest speech in the others' level.
constexpr float kOthersWeight = 0.3f;
// Vectors of this much speech are compared by the higher limit.
constexpr double kLongerS = 1.8;

float Cosine(const VoiceVector& a, const VoiceVector& b) {
  float sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

std::optional<GateLevels> SpeakerLock::gate() const {
  if (!locked()) return std::nullopt;
  const float by_caller = loud_dbfs_ - kQuieterDb;
  const float by_others =
      others_dbfs_ ? std::min(*others_dbfs_ + kAboveOthersDb, loud_dbfs_ - kMinBelowDb) : by_caller;
  const float gate_dbfs = std::max(by_caller, by_others);
  return GateLevels{.loud_dbfs = gate_dbfs, .sure_dbfs = std::max(gate_dbfs, loud_dbfs_ - kSofterDb)};
}

bool SpeakerLock::IsCallers(const UtteranceVoice& voice) const {
  if (!voice_) return true;
  const float similarity = Cosine(*voice_, *voice.vector), to_others = SimilarityToOthers(*voice.vector);
  const float alike = voice.vector_s < kLongerS ? kMinSimilarity : kMinSimilarityLonger;
  if (similarity < alike || similarity < to_others - (IsSofter(voice) ? 0 : kRather)) return false;
  if (others_count_ > 0 && similarity > to_others + kRather) return true;
  const float softer_db = voice.under_agent ? kSofterDb : kQuieterDb;
  return similarity >= alike + kSimilarityADb * std::max(0.0f, loud_dbfs_ - softer_db - voice.loud_dbfs);
}

bool SpeakerLock::IsAnothersUnderAgent(const UtteranceVoice& voice) const {
  if (!voice.under_agent || voice.vector_s < kMinVectorS) return false;
  return IsSofter(voice) || Cosine(*voice_, *voice.vector) < kUnlike;
}

bool SpeakerLock::IsKnownOthers(const VoiceVector& vector) const {
  return knows_others() && SimilarityToOthers(vector) > Cosine(*voice_, vector) + kRather;
}

float SpeakerLock::SimilarityToOthers(const VoiceVector& vector) const {
  float most = -1;
  for (size_t i = 0; i < others_count_; ++i) most = std::max(most, Cosine(others_[i], vector));
  return most;
}

bool SpeakerLock::Take(const UtteranceVoice& voice) {
  if (!on_) return true;
  if (!locked()) {
    if (!voice.under_agent) Enrol(voice);
    return true;
  }
  const bool quiet = IsQuiet(voice.loud_dbfs);
  if (!voice.vector || voice.speech_s < kMinVoiceS) {
    const bool as_others = others_dbfs_ && voice.loud_dbfs <= *others_dbfs_ + kAboveOthersDb;
    const bool by_level = quiet && (voice.under_agent || as_others);
    return by_level || (voice.vector && IsKnownOthers(*voice.vector)) ? LeaveOut(voice) : true;
  }
  if (IsCallers(voice)) {
    CallersCame();
    if (!voice.under_agent) Accept(voice);
    return true;
  }
  if (!voice.under_agent && SpeaksAlone(voice)) {
    Reenroll(voice);
    return true;
  }
  const bool known = SimilarityToOthers(*voice.vector) >= kMinSimilarity;
  const bool others = quiet || IsAnothersUnderAgent(voice);
  if (others) Remember(*voice.vector);
  return others || known ? LeaveOut(voice) : true;
}

void SpeakerLock::Learn(const UtteranceVoice& voice) {
  if (!on_ || voice.under_agent || !voice.vector || voice.speech_s < kMinVoiceS) return;
  if (!locked()) {
    if (!IsQuiet(voice.loud_dbfs)) LearnVoice(*voice.vector, voice.speech_s);
  } else if (IsCallers(voice)) {
    CallersCame();
    Accept(voice);
  } else if (SpeaksAlone(voice)) {
    Reenroll(voice);
  }
}

// The loudest voice of the first seconds is the caller's.
void SpeakerLock::Enrol(const UtteranceVoice& voice) {
  if (learned_s_ > 0 && IsQuiet(voice.loud_dbfs)) return;
  if (learned_s_ > 0 && loud_dbfs_ < voice.loud_dbfs - kQuieterDb) {
    learned_s_ = voice_s_ = 0;
    voice_.reset();
  }
  Accept(voice);
}

void SpeakerLock::Accept(const UtteranceVoice& voice) {
  // One soft utterance neither opens the gate to others nor changes the voice, since it may be another's all the same.
  const bool soft = locked() && IsQuiet(voice.loud_dbfs);
  Add(soft ? loud_dbfs_ - kQuieterDb : voice.loud_dbfs, voice.speech_s);
  if (voice.vector && !soft) LearnVoice(*voice.vector, voice.speech_s);
}

bool SpeakerLock::LeaveOut(const UtteranceVoice& voice) {
  const float weight = others_dbfs_ ? kOthersWeight : 1;
  const float before = others_dbfs_.value_or(voice.loud_dbfs);
  others_dbfs_ = before + weight * (voice.loud_dbfs - before);
  return false;
}

// The caller goes on, so that whoever spoke between is another.
void SpeakerLock::CallersCame() {
  if (last_other_) Remember(*last_other_);
  last_other_.reset();
  alone_s_ = 0;
}

void SpeakerLock::Remember(const VoiceVector& other) {
  if (SimilarityToOthers(other) >= kMinSimilarity) return;
  others_[next_other_] = other;
  next_other_ = (next_other_ + 1) % kMaxOthers;
  others_count_ = std::min(others_count_ + 1, kMaxOthers);
}

bool SpeakerLock::SpeaksAlone(const UtteranceVoice& voice) {
  const bool same = last_other_ && Cosine(*last_other_, *voice.vector) >= kMinSimilarity;
  alone_s_ = same ? alone_s_ + voice.speech_s : voice.speech_s;
  last_other_ = voice.vector;
  return alone_s_ >= (IsQuiet(voice.loud_dbfs) ? kQuietAloneS : kAloneS);
}

void SpeakerLock::Reenroll(const UtteranceVoice& voice) {
  learned_s_ = voice_s_ = 0;
  voice_.reset();
  last_other_.reset();
  others_dbfs_.reset();
  others_count_ = next_other_ = 0;
  alone_s_ = 0;
  Accept(voice);
}

void SpeakerLock::LearnVoice(const VoiceVector& vector, double speech_s) {
  const double weight = speech_s / (voice_s_ + speech_s);
  if (!voice_) voice_.emplace();
  double power = 0;
  for (size_t i = 0; i < vector.size(); ++i) {
    float& value = (*voice_)[i];
    value += static_cast<float>(weight) * (vector[i] - value);
    power += static_cast<double>(value) * value;
  }
  const auto length = static_cast<float>(std::sqrt(std::max(power, 1e-12)));
  for (float& value : *voice_) value /= length;
  voice_s_ = std::min(kMaxLearnedS, voice_s_ + speech_s);
}

void SpeakerLock::Add(float loud_dbfs, double speech_s) {
  if (speech_s <= 0) return;
  const auto weight = static_cast<float>(speech_s / (learned_s_ + speech_s));
  loud_dbfs_ += weight * (loud_dbfs - loud_dbfs_);
  learned_s_ = std::min(kMaxLearnedS, learned_s_ + speech_s);
}

}  // namespace trunkline::omni
