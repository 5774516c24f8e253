// Finds the true end of speech. The voice detector continues for a moment after the last sound,
// so a latency measured from its end is shorter than the one that the caller experiences.
#pragma once

#include <span>

namespace trunkline::omni {

// Returns the seconds without speech at the end of `sound` (16 kHz): the time since the last 30
// ms within the margin of ITU-T P.56 of the active speech level. It reads the last 16 s and
// returns their length when they have less speech than that. Realtime: no lock, no allocation.
double SecondsSinceSpeech(std::span<const float> sound);

}  // namespace trunkline::omni
