#include "asr/hallucination.h"

#include <algorithm>

namespace trunkline::asr {
namespace {

constexpr size_t kLongestPeriod = 40;
constexpr size_t kLongestSentence = 16;
// Three and a half words with their commas; a repeated word is not spoken faster.
constexpr double kMostTokensPerSecond = 7;

// Returns how often a phrase of this many tokens may come in a row.
size_t MaxRepeats(size_t period) {
  if (period == 1) return 8;
  if (period == 2) return 5;
  // A sentence can be spoken three times in a window; a loop goes on until the window's tokens
  // are used up.
  return period < 6 || period >= kLongestSentence ? 3 : 2;
}

// Returns how many tokens at the end repeat those `period` before them.
size_t Repeated(std::span<const int32_t> tokens, size_t period) {
  size_t count = 0;
  while (count + period < tokens.size() &&
         tokens[tokens.size() - 1 - count] == tokens[tokens.size() - 1 - count - period]) {
    ++count;
  }
  return count;
}

}  // namespace

bool IsNoSpeech(float no_speech, float mean_logprob, size_t tokens, const HallucinationLimits& limits) {
  if (no_speech >= limits.no_speech && mean_logprob < limits.min_logprob) return true;
  return tokens <= limits.few_tokens && no_speech >= limits.no_speech_of_few &&
         mean_logprob < limits.min_logprob_of_few;
}

size_t TokensBeforeLoop(std::span<const int32_t> tokens, double seconds) {
  if (static_cast<double>(tokens.size()) <= kMostTokensPerSecond * seconds) return tokens.size();
  const size_t most = std::min(kLongestPeriod, tokens.size() / 2);
  for (size_t period = 1; period <= most; ++period) {
    const size_t repeated = Repeated(tokens, period);
    if (repeated < period * MaxRepeats(period)) continue;
    return tokens.size() - repeated;
  }
  return tokens.size();
}

}  // namespace trunkline::asr
