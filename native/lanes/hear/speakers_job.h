// The job that finds who speaks when in a stretch of speech. It does not group pieces by speaker:
// their vectors do, across all stretches of a recording.
//
// Options
//   encoder   the folder of an encoder that the operator added (voice_prints.h); absent: the bundled one
//
// Input
//   PCM16 at 16 kHz, at most 64 s
//
// Result: one chunk
//   u32 narrow (1: it came over a telephone line), u32 count, then for each piece of speech f32 start, f32 end
//   (seconds from the input's start), f32 alone (seconds without other speakers), u32 size, and `size` f32 of a
//   unit vector: 192 of the bundled encoder, or none for a speaker with too little speech alone
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::hear {

std::shared_ptr<engine::JobKind> MakeSpeakersKind();

}  // namespace trunkline::hear
