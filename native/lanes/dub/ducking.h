// Ducks audio under voices: quickly before they begin, slowly after they end.
#pragma once

#include <span>
#include <vector>

namespace trunkline::dub {

// Returns the gain at each sample: 1 in silence, `depth` under a voice.
std::vector<float> DuckingGain(std::span<const float> voices, int rate, float depth);

}  // namespace trunkline::dub
