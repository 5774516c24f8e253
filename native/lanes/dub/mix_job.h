// The job that dubs a piece of sound: takes the speech out of it, lowers the rest under the new voices, and
// mixes both below full scale.
//
// Input
//   PCM16 at 48 kHz: `frames` of the original, its channels interleaved, then the same time of the voices, one
//   channel at 24 kHz
//
// Options
//   frames            of the original; at most 60 s
//   channels          1 or 2
//   before, after     frames at either end that are only listened to: neighbours' pieces hold them
//   removes           1: speech is taken out; 0: the original stays whole
//   duck_db           what is left of the original is lowered by this while a voice speaks
//   voice_db, rest_db gains
//
// Result: one chunk, the frames without `before` and `after`, as the original lies
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::dub {

std::shared_ptr<engine::JobKind> MakeMixKind();

}  // namespace trunkline::dub
