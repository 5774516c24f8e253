// The job that finds where the sound of a spoken clause begins and ends: what lies before and after is silence.
//
// Input    PCM16 at 24 kHz, one channel
// Result   one chunk: u32 first sample, u32 the one behind the last, f32 level of the sound between in dBFS
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::dub {

std::shared_ptr<engine::JobKind> MakeEdgesKind();

}  // namespace trunkline::dub
