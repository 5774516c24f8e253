// The name of a live lane at the boundary.
#pragma once

#include <cstdint>

namespace trunkline::engine {

// A slot is reused, a generation is not. A pair whose generation is not the slot's is stale, and its request
// is dropped.
struct LaneId {
  uint32_t slot = 0;
  uint32_t generation = 0;

  friend bool operator==(const LaneId&, const LaneId&) = default;
};

}  // namespace trunkline::engine
