// The job that learns a voice (tts/voice_learner.h) before anybody waits for it: at the priority of offline
// work, a graph run a step.
//
// input     nothing
// options   the voice, as synthesize_job.h reads it
// result    nothing
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::speak {

std::shared_ptr<engine::JobKind> MakeLearnVoiceKind();

}  // namespace trunkline::speak
