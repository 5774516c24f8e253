// Where to cut a long recording: into windows of at most 30 s that begin and end in silence, follow one
// another without overlap, and leave out what nobody spoke in.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "asr/word_times.h"

namespace trunkline::asr {

// What is known of 32 ms of audio.
struct SpeechFrame {
  float speech = 0;    // probability
  float level_db = 0;  // loudness
};

struct Cut {
  // Nobody spoke: there is nothing to recognize up to `end`.
  bool silent = false;
  // The window to recognize, in samples at 16 kHz.
  size_t begin = 0;
  size_t end = 0;
  // Where a voice was heard, in seconds from the window's begin.
  std::vector<Span> speech;
  // The same in pieces of some seconds, each of which is long enough to tell its language by.
  std::vector<Span> phrases;
  // Somebody speaks on behind the end: the window is only as long as one may be.
  bool goes_on = false;
};

inline constexpr size_t kHeardSamples = 512;
inline constexpr double kHeardSeconds = 0.032;

// The first window of what `frames` describe. `last`: nothing follows them. Without `last`, there should be
// more than 30 s of frames, so that the best cut can be seen.
Cut FirstWindow(std::span<const SpeechFrame> frames, bool last);

}  // namespace trunkline::asr
