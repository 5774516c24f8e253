// The job that finds who speaks when in a stretch of speech. Which pieces are one person's is not said: their vectors
// tell it, across all stretches of a recording.
//
// Input
//   PCM16 at 16 kHz, at most 64 s
//
// Result: one chunk
//   u32 narrow (1: it came over a telephone line), u32 count, then for each piece of speech f32 start, f32 end (seconds from the input's start), f32 alone (seconds in
//   which nobody else speaks), u32 size, and so many f32 of a vector of length 1: 192, or none where a person
//   speaks too little alone
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::hear {

std::shared_ptr<engine::JobKind> MakeSpeakersKind();

}  // namespace trunkline::hear
