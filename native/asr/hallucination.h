// Detects hallucinated text: words for noise, and loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::asr {

struct HallucinationLimits {
  // A text with a lower mean log probability is decoded again at a higher temperature.
  float min_logprob = -1.0f;
  // A doubted text with at least this no-speech probability is dropped.
  float no_speech = 0.6f;
  // For breaths, clicks and tones the model invents a few words ("Thank you.") with a higher probability, but
  // its no-speech probability is then high. For spelled letters on a line of 8 kHz it reaches 0.70
  // (docs/decisions/082).
  size_t few_tokens = 6;
  float no_speech_of_few = 0.75f;
  float min_logprob_of_few = -0.5f;
};

// Returns whether a text of `tokens` with this mean log probability was invented for audio without speech;
// `no_speech` is the model's probability.
bool IsNoSpeech(float no_speech, float mean_logprob, size_t tokens, const HallucinationLimits& limits);

// Returns the number of tokens before a loop, or of all tokens without one. People repeat words
// and sentences, so a repetition is a loop only when the text is longer than `seconds` of speech
// can hold.
size_t TokensBeforeLoop(std::span<const int32_t> tokens, double seconds);

}  // namespace trunkline::asr
