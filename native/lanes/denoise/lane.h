// A lane that takes the noise out of what a person listens to: a supervisor, or the person to whom a call was
// transferred. Recognition never hears it.
//
// Options
//   rate    8000, 16000, 24000
//   codec   "pcm16" (where absent) or "ulaw" (8 kHz): of what comes and of what goes
//
// Input is audio of any piece size; a lane that is behind takes no more (push answers full). Output is audio of the same
// rate and codec, in whole frames of 20 ms until the close, which the rest follows: as many samples as came, up to 70 ms
// later.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::denoise {

std::shared_ptr<engine::LaneKind> MakeDenoiseKind();

}  // namespace trunkline::denoise
