// A lane that compares both directions of a line and reports the echo of what is sent. The RTP lane measures
// echo itself.
//
// Input is u-law at 8 kHz: what the other end plays now, followed by as much of what comes from there. There
// is no audio output.
//
// Events
//   kEchoFound      f64 delay in ms, f64 dB relative to what was sent: when it has changed, once a second at
//   most
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::echo {

enum EchoEvent : uint16_t { kEchoFound = engine::kFirstKindEvent };

std::shared_ptr<engine::LaneKind> MakeEchoKind();

}  // namespace trunkline::echo
