// The job that calibrates a voice (tts/voice_learner.h) before its first use: offline priority, one graph run
// a step.
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
