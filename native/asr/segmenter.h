// Segments a long recording into windows of at most 30 s that begin and end in silence, do not overlap, and
// leave out silence.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "asr/word_times.h"

namespace trunkline::asr {

// The voice detector's probability and the level for 32 ms of audio.
struct SpeechFrame {
  float speech = 0;
  float level_db = 0;
};

struct SpeechWindow {
  // There is no speech up to `end`.
  bool silent = false;
  // The window, in samples at 16 kHz.
  size_t begin = 0;
  size_t end = 0;
  // Stretches of speech, in seconds from the window's begin.
  std::vector<Span> speech;
  // The speech in pieces of some seconds, each long enough to identify its language.
  std::vector<Span> phrases;
  // Speech goes on after the end: the window has the greatest length.
  bool goes_on = false;
};

inline constexpr size_t kHeardSamples = 512;
inline constexpr double kHeardSeconds = 0.032;

// The first window of `frames`. `last`: nothing follows them. Otherwise there should be more than 30 s of
// frames, so that the best end is among them.
SpeechWindow FirstWindow(std::span<const SpeechFrame> frames, bool last);

}  // namespace trunkline::asr
