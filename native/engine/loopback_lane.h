// A lane that returns its input: for measuring the engine, and for trying a client.
#pragma once

#include <memory>

#include "engine/lane.h"

namespace trunkline::engine {

// It has no options. Each audio input comes back as one audio event, byte for byte, in order, at the next
// tick.
std::shared_ptr<LaneKind> MakeLoopbackKind();

}  // namespace trunkline::engine
