#include "engine/kinds.h"

#include "engine/loopback_lane.h"

namespace trunkline::engine {

Kinds AllKinds() {
  Kinds kinds;
  kinds.AddLane(MakeLoopbackKind());
  return kinds;
}

}  // namespace trunkline::engine
