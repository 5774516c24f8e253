#include "lanes/hear/speech_spans.h"

#include "base/speech_thresholds.h"
#include "vad/vad.h"

namespace trunkline::hear {
namespace {

constexpr float kSpeech = base::kSpeechHoldProbability;
// A shorter gap does not separate two stretches of speech.
constexpr double kGapS = 0.1;
constexpr size_t kSpans = 256;

}  // namespace

SpeechSpans::SpeechSpans() {
  spans_.reserve(kSpans);
}

void SpeechSpans::Note(float probability, double end_s) {
  if (probability < kSpeech) return;
  const double start_s = end_s - vad::kFrameSeconds;
  if (!spans_.empty() && start_s - spans_.back().end < kGapS) {
    spans_.back().end = end_s;
    return;
  }
  if (spans_.size() == kSpans) spans_.erase(spans_.begin(), spans_.begin() + kSpans / 2);
  spans_.push_back({start_s, end_s});
}

std::span<const asr::Span> SpeechSpans::Since(double start_s) const {
  size_t first = spans_.size();
  while (first > 0 && spans_[first - 1].end > start_s) --first;
  return std::span<const asr::Span>(spans_).subspan(first);
}

}  // namespace trunkline::hear
