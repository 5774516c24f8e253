// Whether the first moments of a voice sound like a sign of listening ("mm-hmm", "right"): told from what the
// quick recognizer's encoder makes of them, before any word is written (docs/decisions/090).
#pragma once

#include <span>

namespace trunkline::engine {

// Sounds of this length, the moment before them included, are what the score was learnt from.
inline constexpr double kMostScoredS = 0.65;

// Above zero the sound is more likely a sign of listening, below zero something to say; 0 for no rows.
// Logarithm of the odds. `rows` are the encoder's, kRowWidth numbers each.
float ListeningScore(std::span<const float> rows);

}  // namespace trunkline::engine
