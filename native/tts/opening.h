// The opening of a long clause: enough of its first tokens to predict prosody for a few words with their
// right context, while the rest is read later. See docs/decisions/135-first-audio-at-any-length.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tts/kokoro.h"
#include "tts/piper.h"

namespace trunkline::tts {

// The limits count tokens, of which a second of speech has about fifteen.
struct OpeningLimits {
  size_t whole;        // a clause of at most this length is read at once
  size_t least, most;  // the opening
  size_t look_ahead;   // the words after it that are read with it
};
inline constexpr OpeningLimits kKokoroOpening = {100, 24, 44, 40};
inline constexpr OpeningLimits kPiperOpening = {56, 14, 28, 20};

struct Opening {
  size_t read = 0;  // tokens to read at first; all of a short clause
  // The opening may end at these spaces. Without any, the clause is read whole.
  std::vector<size_t> joints;
};

Opening PlanOpening(std::span<const int64_t> tokens, int64_t space, const OpeningLimits& limits);

// Returns the joint at the softest sound: an unvoiced one, or else the one of least energy.
size_t SoftestJoint(const KokoroClause& clause, std::span<const size_t> joints);
// Returns the last joint before an unvoiced consonant, or else the last.
size_t UnvoicedJoint(const Piper& piper, std::span<const int64_t> sounds, std::span<const size_t> joints);

}  // namespace trunkline::tts
