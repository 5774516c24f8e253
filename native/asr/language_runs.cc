#include "asr/language_runs.h"

#include <algorithm>
#include <cmath>

namespace trunkline::asr {
namespace {

constexpr size_t kLanguages = kLanguageCodes.size();
// In recordings of seven languages, Whisper's language probabilities of phrases of 1.5 s and more were right
// wherever one language had 0.9; those of shorter phrases were as often clear and wrong.
constexpr double kSureS = 1.5, kMaxWeight = 2;
constexpr float kClearOdds = 0.9f, kMinOdds = 0.002f;
constexpr double kChange = 2.5;
constexpr double kImpossible = -1e9;

using Scores = std::array<double, kLanguages>;

Scores EvidenceOf(const PhraseOdds& phrase) {
  Scores out{};
  if (!phrase.odds) return out;
  const double weight = std::min(phrase.seconds / kSureS, kMaxWeight);
  for (size_t i = 0; i < kLanguages; ++i) out[i] = weight * std::log(std::max((*phrase.odds)[i], kMinOdds));
  return out;
}

size_t Best(const Scores& scores) {
  return static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

std::vector<Language> BestPath(std::span<const Scores> evidence, std::optional<Language> expected) {
  Scores scores{};
  if (expected) {
    scores.fill(-kChange);
    scores[static_cast<size_t>(*expected)] = 0;
  }
  // The predecessor of each language on the best path.
  std::vector<std::array<size_t, kLanguages>> from(evidence.size());
  for (size_t i = 0; i < evidence.size(); ++i) {
    const size_t best = Best(scores);
    const double changed = scores[best] - kChange;
    for (size_t to = 0; to < kLanguages; ++to) {
      const bool changes = i > 0 && changed > scores[to];
      from[i][to] = changes ? best : to;
      scores[to] = (changes ? changed : scores[to]) + evidence[i][to];
    }
  }
  std::vector<Language> out(evidence.size());
  size_t at = Best(scores);
  for (size_t i = evidence.size(); i > 0; --i) {
    out[i - 1] = static_cast<Language>(at);
    at = from[i - 1][at];
  }
  return out;
}

}  // namespace

LanguageOdds Among(const LanguageOdds& odds, LanguageSet languages) {
  LanguageOdds out{};
  float sum = 0;
  for (size_t i = 0; i < kLanguages; ++i) {
    if ((languages & SetOf(static_cast<Language>(i))) != 0) sum += out[i] = odds[i];
  }
  for (float& one : out) one = sum > 0 ? one / sum : 0;
  return out;
}

bool PhraseOdds::IsClearly(Language language) const {
  return odds && seconds >= kSureS && (*odds)[static_cast<size_t>(language)] >= kClearOdds;
}

Language LanguageOf(const PhraseOdds& whole, std::optional<Language> expected) {
  const Scores evidence[] = {EvidenceOf(whole)};
  return BestPath(evidence, expected).front();
}

// A run without clear evidence takes the language of the phrases after it.
std::vector<Language> LanguagesOf(std::span<const PhraseOdds> phrases, Language known,
                                  std::optional<Language> expected) {
  std::vector<Scores> evidence;
  for (const PhraseOdds& phrase : phrases) evidence.push_back(EvidenceOf(phrase));
  for (;;) {
    const std::vector<Language> path = BestPath(evidence, expected);
    bool doubted = false;
    for (size_t first = 0, end = 0; first < path.size(); first = end) {
      const Language language = path[first];
      bool clear = language == known;
      for (; end < path.size() && path[end] == language; ++end) clear |= phrases[end].IsClearly(language);
      for (size_t i = first; i < end && !clear; ++i) evidence[i][static_cast<size_t>(language)] = kImpossible;
      doubted |= !clear;
    }
    if (!doubted) return path;
  }
}

}  // namespace trunkline::asr
