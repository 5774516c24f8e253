#include "asr/language_tracker.h"

#include <algorithm>
#include <cmath>

namespace trunkline::asr {
namespace {

constexpr double kSpeechRate = 16000, kRow = static_cast<double>(kRowSamples) / kSpeechRate;
// A shorter phrase is not identified.
constexpr double kShortestPhraseS = 0.6;
// The length from which a phrase is identified on its own.
constexpr double kLong = 1.5;
// Audio around a phrase that belongs to its first and last word.
constexpr double kEdge = 0.1, kEdgeMarginS = 0.3;
// A phrase below this probability is decoded separately. A second language had 0.87 at most, among 11
// recordings of two.
constexpr float kClearProbability = 0.9f;

}  // namespace

LanguageOdds OddsOf(std::span<const float> logits, const WhisperTimestamps& marks) {
  LanguageOdds odds{};
  float most = -INFINITY, sum = 0;
  for (const auto mark : marks.languages) most = std::max(most, logits[static_cast<size_t>(mark)]);
  for (size_t i = 0; i < odds.size(); ++i) {
    odds[i] = std::exp(logits[static_cast<size_t>(marks.languages[i])] - most);
    sum += odds[i];
  }
  for (float& one : odds) one /= sum;
  return odds;
}

void LanguageTracker::Begin(std::span<const float> samples, std::span<const Span> phrases, Language language,
                            std::optional<Language> expected) {
  samples_ = samples;
  phrases_ = phrases;
  language_ = language;
  expected_ = expected;
  odds_.assign(phrases.size(), {});
  next_ = 0;
  left_.clear();
  changes_ = false;
  runs_.clear();
}

base::Result<bool> LanguageTracker::Step(WhisperDecoder& window, const onnx::RunOptions* stop) {
  while (next_ < phrases_.size()) {
    const size_t at = next_++;
    PhraseOdds& phrase = odds_[at];
    phrase.seconds = phrases_[at].end - phrases_[at].start;
    if (phrase.seconds < kShortestPhraseS) continue;
    TRUNKLINE_ASSIGN_OR_RETURN(const LanguageOdds within, Within(window, phrases_[at]));
    if (InWindowsLanguage(within)) {
      phrase.odds = within;
    } else if (phrase.seconds < kLong) {
      left_.insert(left_.begin(), at);
    } else {
      TRUNKLINE_ASSIGN_OR_RETURN(phrase.odds, Alone(at, stop));
      changes_ |= InAnother(phrase);
    }
    return false;
  }
  if (changes_ && !left_.empty()) {
    TRUNKLINE_ASSIGN_OR_RETURN(odds_[left_.back()].odds, Alone(left_.back(), stop));
    left_.pop_back();
    return false;
  }
  FindRuns();
  return true;
}

bool LanguageTracker::InWindowsLanguage(const LanguageOdds& odds) const {
  return odds[static_cast<size_t>(language_)] >= kClearProbability;
}

bool LanguageTracker::InAnother(const PhraseOdds& phrase) const {
  for (size_t i = 0; i < kLanguageCodes.size(); ++i) {
    const auto language = static_cast<Language>(i);
    if (language != language_ && phrase.IsClearly(language)) return true;
  }
  return false;
}

base::Result<LanguageOdds> LanguageTracker::Within(WhisperDecoder& window, Span phrase) {
  const auto row = [](double seconds) { return static_cast<size_t>(std::max(0.0, seconds) / kRow); };
  window.AttendTo(row(phrase.start - kEdge), row(phrase.end + kEdge));
  window.Rewind(0);
  const text::TokenId start[] = {model_->marks().start};
  TRUNKLINE_RETURN_IF_FAILED(window.Step(start));
  return OddsOf(window.logits(), model_->marks());
}

base::Result<LanguageOdds> LanguageTracker::Alone(size_t phrase, const onnx::RunOptions* stop) {
  const auto [start, end] = phrases_[phrase];
  const double before = phrase > 0 ? start - phrases_[phrase - 1].end : start;
  const double after = phrase + 1 < phrases_.size() ? phrases_[phrase + 1].start - end : kEdgeMarginS;
  const auto sample = [&](double seconds) {
    return std::min(samples_.size(), static_cast<size_t>(std::max(0.0, seconds) * kSpeechRate));
  };
  const size_t first = sample(start - std::min(kEdgeMarginS, before / 2));
  const size_t last = sample(end + std::min(kEdgeMarginS, after / 2));
  if (alone_ == nullptr) alone_ = std::make_unique<WhisperDecoder>(model_);
  TRUNKLINE_RETURN_IF_FAILED(alone_->Encode(samples_.subspan(first, last - first), stop));
  const text::TokenId mark[] = {model_->marks().start};
  TRUNKLINE_RETURN_IF_FAILED(alone_->Step(mark));
  return OddsOf(alone_->logits(), model_->marks());
}

void LanguageTracker::FindRuns() {
  const std::vector<Language> languages =
      changes_ ? LanguagesOf(odds_, language_, expected_) : std::vector<Language>(phrases_.size(), language_);
  for (size_t i = 0; i < phrases_.size(); ++i) {
    if (runs_.empty() || runs_.back().language != languages[i]) runs_.push_back({languages[i], phrases_[i]});
    runs_.back().span.end = phrases_[i].end;
  }
}

}  // namespace trunkline::asr
