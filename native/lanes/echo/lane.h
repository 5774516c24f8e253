// A lane that hears both ways of a line and tells of what is sent that comes back. RTP's own lane looks for itself.
//
// Audio that goes in is u-law at 8 kHz: what the other end plays now, and behind it as much of what comes from there.
// Nothing comes out as audio.
//
// Events
//   kEchoFound      f64 delay in ms, f64 dB beside what was sent: whenever it has changed, once a second at most
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::echo {

enum EchoEvent : uint16_t { kEchoFound = engine::kFirstKindEvent };

std::shared_ptr<engine::LaneKind> MakeEchoKind();

}  // namespace trunkline::echo
