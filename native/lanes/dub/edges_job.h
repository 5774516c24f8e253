// The job that finds the first and last sound of a spoken clause; the rest is silence.
//
// Input    PCM16 at 24 kHz, one channel
// Result   one chunk: u32 first sample, u32 the one after the last, f32 level between them in dBFS
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::dub {

std::shared_ptr<engine::JobKind> MakeEdgesKind();

}  // namespace trunkline::dub
