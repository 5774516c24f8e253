// The speech probabilities that count as speech, for all users of the voice detector.
#pragma once

namespace trunkline::base {

// Speech starts with frames of at least the first, and continues while a frame has at least the second.
inline constexpr float kSpeechStartProbability = 0.5F, kSpeechHoldProbability = 0.35F;

}  // namespace trunkline::base
