// Whether the first moments of a voice sound like a sign of listening ("mm-hmm", "right"): told from what the
// two recognizers' encoders make of them, before any word is written (docs/decisions/090).
#pragma once

#include <cstddef>
#include <span>

namespace trunkline::engine {

// Sounds of this length, the moment before them included, are what the score was learnt from.
inline constexpr double kMostScoredS = 0.65;

// Rows of this many numbers are Moonshine's, and those of Whisper base.
inline constexpr size_t kMoonshineRow = 288, kWhisperRow = 512;

// Above zero the sound is more likely a sign of listening, below zero something to say; 0 for no rows.
// Logarithm of the odds, the mean of what each encoder's rows tell: one of which there are none is left out.
float ListeningScore(std::span<const float> moonshine, std::span<const float> whisper);

}  // namespace trunkline::engine
