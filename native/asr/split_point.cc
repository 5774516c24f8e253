#include "asr/split_point.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/speech_thresholds.h"

namespace trunkline::asr {
namespace {

// The end of the window is searched first.
constexpr double kSearchS = 3.5;
// The last words of a window may be incomplete, so the split lies before them.
constexpr double kSplitMarginS = 0.3;
// The error of word times. Losing a little of the next word's beginning costs less than recognizing the
// rest of the last word as another word.
constexpr double kBefore = 0.03, kAfter = 0.08;
// A text that ends this long before its window was cut off, and the rest is recognized again.
constexpr double kMinSplitS = 5;
// The value of a place besides its quiet, in dB. Digits stand for several words, and their times mean little.
constexpr double kUnvoiced = 10, kSentence = 10, kClause = 5, kDigits = -20;
constexpr float kVoice = base::kSpeechHoldProbability;

struct Place {
  double at_s = 0;
  double cost = std::numeric_limits<double>::infinity();
};

// The quietest three frames whose middle lies between `from_s` and `to_s`; the later of equals.
Place Quietest(const SpeechFrames& heard, double from_s, double to_s) {
  Place best{(from_s + to_s) / 2, std::numeric_limits<double>::infinity()};
  for (size_t i = 1; i + 1 < heard.frames.size(); ++i) {
    const double middle_s = heard.first_s + (static_cast<double>(i) + 0.5) * kHeardSeconds;
    if (middle_s < from_s || middle_s > to_s) continue;
    double level = 0;
    for (size_t k = i - 1; k <= i + 1; ++k) level += static_cast<double>(heard.frames[k].level_db) / 3;
    const double cost = level - (heard.frames[i].speech < kVoice ? kUnvoiced : 0);
    if (cost <= best.cost) best = {middle_s, cost};
  }
  return best;
}

bool HoldsDigit(const Word& word) {
  return std::any_of(word.text.begin(), word.text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Place PlaceAfter(std::span<const Word> words, size_t count, const SpeechFrames& heard) {
  const Word &before = words[count - 1], &after = words[count];
  const double from_s = std::max((before.start + before.end) / 2, before.end - kBefore);
  const double to_s = std::min((after.start + after.end) / 2, after.start + kAfter);
  return Quietest(heard, from_s, std::max(from_s, to_s));
}

double WorthBetween(const Word& before, const Word& after) {
  const double worth = HoldsDigit(before) || HoldsDigit(after) ? kDigits : 0;
  const char mark = before.text.empty() ? ' ' : before.text.back();
  if (mark == '.' || mark == '?' || mark == '!') return worth + kSentence;
  return mark == ',' || mark == ';' || mark == ':' ? worth + kClause : worth;
}

}  // namespace

SplitPoint SplitAfter(std::span<const Word> words, size_t count, const SpeechFrames& heard) {
  return {count, PlaceAfter(words, count, heard).at_s};
}

SplitPoint FindSplitPoint(std::span<const Word> words, size_t stable, const SpeechFrames& heard,
                          double window_s) {
  std::optional<SplitPoint> best, earlier;
  double least = std::numeric_limits<double>::infinity();
  size_t bytes = 0;
  for (size_t count = 1; count < words.size(); ++count) {
    const Word &before = words[count - 1], &after = words[count];
    bytes += before.text.size() + (count > 1);
    if (bytes < stable) continue;
    if (after.start > window_s - kSplitMarginS) break;
    const Place place = PlaceAfter(words, count, heard);
    if (place.at_s < window_s - kSearchS) {
      earlier = SplitPoint{count, place.at_s};
      continue;
    }
    const double cost = place.cost - WorthBetween(before, after);
    if (best && cost > least) continue;
    least = cost;
    best = SplitPoint{count, place.at_s};
  }
  if (best) return *best;
  // The text stops before the place, so the audio after its last words may hold more.
  const bool cut_off = !words.empty() && words.back().end < window_s - kSearchS;
  if (cut_off && words.back().end > kMinSplitS) return {words.size(), words.back().end};
  if (earlier && earlier->at_s > kMinSplitS) return *earlier;
  const double from_s = std::max(window_s - kSearchS, words.empty() ? 0 : words.back().end);
  return {words.size(), Quietest(heard, from_s, std::max(from_s, window_s - kSplitMarginS)).at_s};
}

}  // namespace trunkline::asr
