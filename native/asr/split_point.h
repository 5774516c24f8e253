// Splits an utterance without a pause between two words of its text. The next utterance continues there, so
// that no word is lost or recognized twice.
#pragma once

#include <cstddef>
#include <span>

#include "asr/segmenter.h"
#include "asr/word_times.h"

namespace trunkline::asr {

// The voice detector's frames of a window, each 32 ms; the first begins `first_s` from the window's start,
// which may be before it.
struct SpeechFrames {
  std::span<const SpeechFrame> frames;
  double first_s = 0;
};

struct SplitPoint {
  size_t words = 0;
  double at_s = 0;
};

// The quietest place between the first `count` words, at least one, and the next, of which there is one.
SplitPoint SplitAfter(std::span<const Word> words, size_t count, const SpeechFrames& heard);

// `words`: the window's text, of which the first `stable` bytes are stable and stay whole.
SplitPoint FindSplitPoint(std::span<const Word> words, size_t stable, const SpeechFrames& heard,
                          double window_s);

}  // namespace trunkline::asr
