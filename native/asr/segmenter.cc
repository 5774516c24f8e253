#include "asr/segmenter.h"

#include <algorithm>
#include <limits>

#include "asr/window.h"
#include "base/speech_thresholds.h"

namespace trunkline::asr {
namespace {

constexpr float kStart = base::kSpeechStartProbability, kHold = base::kSpeechHoldProbability;
// Margin around speech, a second: the edges of words are below the voice detector's threshold, and short
// speech is recognized better with its surroundings. With a quarter of a second the word error rate was a
// seventh higher.
constexpr size_t kMarginFrames = 31;
// The least pause between two stretches of speech, and the least stretch.
constexpr size_t kMinPause = 4, kMinSpeech = 3;
// A longer pause ends a window of any length, because speakers, scenes and languages change there.
constexpr size_t kLongPause = 94;
// A window of this length may end at any pause; longer windows are better.
constexpr size_t kEarliest = 312;
constexpr size_t kMaxFrames = kWindowSamples / kHeardSamples;

struct Stretch {
  size_t first = 0, end = 0;  // frames
};

std::vector<Stretch> Stretches(std::span<const SpeechFrame> frames) {
  std::vector<Stretch> out;
  bool inside = false;
  for (size_t i = 0; i < frames.size(); ++i) {
    const bool speech = frames[i].speech >= (inside ? kHold : kStart);
    if (speech && !inside) {
      if (!out.empty() && i - out.back().end < kMinPause) {
        inside = true;  // a pause this short does not count
      } else {
        out.push_back({i, i + 1});
        inside = true;
      }
    }
    if (speech) out.back().end = i + 1;
    inside = inside && speech;
  }
  std::erase_if(out, [](const Stretch& s) { return s.end - s.first < kMinSpeech; });
  return out;
}

// Stretches this close are one phrase, unless it would grow longer than language identification needs.
constexpr size_t kPhrasePause = 9, kPhrase = 62;
// A phrase without a pause is split at its quietest place, at least this far from its ends.
constexpr size_t kLongestPhrase = 156, kPhraseEdge = 47;

// The quietest frame of [first, end), the later of equals.
size_t Quietest(std::span<const SpeechFrame> frames, size_t first, size_t end) {
  size_t best = end - 1;
  float least = std::numeric_limits<float>::infinity();
  for (size_t i = first + 1; i + 1 < end; ++i) {
    const float level = frames[i - 1].level_db + frames[i].level_db + frames[i + 1].level_db;
    if (level > least) continue;
    least = level;
    best = i;
  }
  return best;
}

// The end of a window that begins at `begin` and whose speech does not end before 30 s.
size_t SplitFrame(std::span<const SpeechFrame> frames, const std::vector<Stretch>& stretches, size_t begin) {
  const size_t limit = std::min(frames.size(), begin + kMaxFrames);
  size_t best = 0;
  double most = 0;
  for (size_t i = 0; i + 1 < stretches.size(); ++i) {
    const size_t pause = stretches[i + 1].first - stretches[i].end;
    const size_t middle = stretches[i].end + pause / 2;
    if (middle <= begin + kEarliest || middle > limit) continue;
    const double worth = static_cast<double>(pause) * static_cast<double>(middle - begin);
    if (worth < most) continue;
    most = worth;
    best = middle;
  }
  return best > 0 ? best : Quietest(frames, begin + kEarliest, limit);
}

void AddPhrase(std::span<const SpeechFrame> frames, Stretch phrase, std::vector<Stretch>& out) {
  while (phrase.end - phrase.first > kLongestPhrase) {
    const size_t last = std::min(phrase.first + kLongestPhrase, phrase.end - kPhraseEdge);
    const size_t at = Quietest(frames, phrase.first + kPhraseEdge, last);
    out.push_back({phrase.first, at});
    phrase.first = at;
  }
  out.push_back(phrase);
}

std::vector<Stretch> Phrases(std::span<const SpeechFrame> frames, std::span<const Stretch> stretches) {
  std::vector<Stretch> out;
  for (size_t i = 0; i < stretches.size(); ++i) {
    Stretch phrase = stretches[i];
    while (i + 1 < stretches.size() && stretches[i + 1].first - phrase.end < kPhrasePause &&
           stretches[i + 1].end - phrase.first <= kPhrase) {
      phrase.end = stretches[++i].end;
    }
    AddPhrase(frames, phrase, out);
  }
  return out;
}

// The stretches before `end`, in seconds from `begin`.
std::vector<Span> Spans(std::span<const Stretch> stretches, size_t begin, size_t end) {
  std::vector<Span> out;
  for (const Stretch& s : stretches) {
    if (s.first >= end) break;
    out.push_back({static_cast<double>(s.first - begin) * kHeardSeconds,
                   static_cast<double>(std::min(s.end, end) - begin) * kHeardSeconds});
  }
  return out;
}

}  // namespace

SpeechWindow FirstWindow(std::span<const SpeechFrame> frames, bool last) {
  const std::vector<Stretch> stretches = Stretches(frames);
  SpeechWindow window;
  if (stretches.empty()) {
    // The end may hold the start of a word that is not detected yet.
    const size_t retained = last ? 0 : std::min(frames.size(), kMarginFrames);
    window.silent = true;
    window.end = (frames.size() - retained) * kHeardSamples;
    return window;
  }
  const size_t begin = stretches.front().first - std::min(stretches.front().first, kMarginFrames);
  size_t end = frames.size();
  bool found = false;
  for (size_t i = 0; i < stretches.size() && !found; ++i) {
    const size_t next = i + 1 < stretches.size() ? stretches[i + 1].first : frames.size();
    const bool ends = next - stretches[i].end >= kLongPause || (last && i + 1 == stretches.size());
    if (!ends) continue;
    end = std::min(stretches[i].end + kMarginFrames, next);
    found = end - begin <= kMaxFrames;
    if (!found) break;
  }
  if (!found && !last && begin > 0 && frames.size() - begin < kMaxFrames) {
    window.silent = true;
    window.end = begin * kHeardSamples;
    return window;
  }
  window.goes_on = !found && !(end - begin <= kMaxFrames && last);
  if (window.goes_on) end = SplitFrame(frames, stretches, begin);
  window.begin = begin * kHeardSamples;
  window.end = end * kHeardSamples;
  window.speech = Spans(stretches, begin, end);
  window.phrases = Spans(Phrases(frames, stretches), begin, end);
  return window;
}

}  // namespace trunkline::asr
