// The job that computes speaker embeddings of a stretch of speech: vectors that are close when one person
// speaks.
//
// Input
//   PCM16 at 16 kHz, at most 60 s
//
// Result: one chunk
//   u32 count, then for each vector f32 start, f32 end (seconds from the input's start) and 256 f32 of unit
//   length;
//   one every 0.8 s, each from 1.6 s around it
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::hear {

std::shared_ptr<engine::JobKind> MakeSpeakersKind();

}  // namespace trunkline::hear
