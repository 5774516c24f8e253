// A lane that says what it hears: for measuring the way through the engine, and for trying a client.
#pragma once

#include <memory>

#include "engine/lane.h"

namespace trunkline::engine {

// Options: none. Each audio input comes back as one audio event, byte for byte, in order, at the next tick.
std::shared_ptr<LaneKind> MakeLoopbackKind();

}  // namespace trunkline::engine
