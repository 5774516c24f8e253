// Where speech truly ends. Voice activity goes on for a moment after the last sound, and a latency that
// counts from there is not the one that the caller waits.
#pragma once

#include <span>

namespace trunkline::omni {

// For how many seconds nothing has been said at the end of `sound`, 16 kHz: since the last 30 ms whose level
// is within the margin of ITU-T P.56 of that of the active speech. Only the last 16 s are looked at; of a
// sound without that much speech it is all. Realtime: no lock, no allocation.
double SecondsSinceSpeech(std::span<const float> sound);

}  // namespace trunkline::omni
