// From which probabilities of the voice detector on something is speech, for all who ask it.
#pragma once

namespace trunkline::base {

// Speech begins with frames of this much, and goes on while a frame has so much.
inline constexpr float kSpeechStartProbability = 0.5F, kSpeechHoldProbability = 0.35F;

}  // namespace trunkline::base
