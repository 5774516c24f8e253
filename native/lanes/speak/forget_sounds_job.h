// The job that removes an owner's audio from the cache (tts/sound_cache.h).
//
// input     nothing
// options   owner; absent: all owners
// result    nothing
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::speak {

std::shared_ptr<engine::JobKind> MakeForgetSoundsKind();

}  // namespace trunkline::speak
