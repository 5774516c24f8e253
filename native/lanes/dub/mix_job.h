// The job that dubs a piece of audio: removes its speech, ducks the rest under the new voices, and mixes both
// below full scale.
//
// Input
//   PCM16 at 48 kHz: `frames` of the original, its channels interleaved, then the same time of the voices,
//   one
//   channel at 24 kHz
//
// Options
//   frames            of the original; at most 60 s
//   channels          1 or 2
//   before, after     context frames at either end, which belong to neighbouring pieces
//   removes           1: speech is removed; 0: the original stays
//   duck_db           attenuation of the original while a voice speaks
//   voice_db, rest_db gains
//
// Result: one chunk, the frames without `before` and `after`, in the original's layout
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::dub {

std::shared_ptr<engine::JobKind> MakeMixKind();

}  // namespace trunkline::dub
