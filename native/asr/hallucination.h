// Signs that a text was invented and not heard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::asr {

struct HallucinationLimits {
  // Below this mean a text is doubted: it is decoded again, warmer.
  float least_logprob = -1.0f;
  // At or above it, and with a doubted text, nobody spoke.
  float no_speech = 0.6f;
  // Of breaths, clicks and tones a few words are invented ("Thank you."), which are likelier than that; but the sound
  // is then hardly speech to the model. Of spoken letters on a line of 8 kHz it holds up to 0.70 (docs/decisions/082).
  size_t few_tokens = 6;
  float no_speech_of_few = 0.75f;
  float least_logprob_of_few = -0.5f;
};

// Whether a text of `tokens` with this mean was made up of a sound in which nobody spoke: `no_speech` is how likely
// the model held that.
bool IsNoSpeech(float no_speech, float mean_logprob, size_t tokens, const HallucinationLimits& limits);

// Where the text begins to go round in a circle: how many of its tokens are worth keeping, which is all of
// them when it does not. People repeat a word or a sentence as often as they like: it is a circle only when
// the text has become longer than what can be said in `seconds` of speech.
size_t TokensBeforeLoop(std::span<const int32_t> tokens, double seconds);

}  // namespace trunkline::asr
