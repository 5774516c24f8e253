// Lowers a sound under voices: soon before they begin, slowly after they end.
#pragma once

#include <span>
#include <vector>

namespace trunkline::dub {

// The gain of the sound at each sample, 1 where nobody speaks; `depth` where somebody does.
std::vector<float> DuckingGain(std::span<const float> voices, int rate, float depth);

}  // namespace trunkline::dub
