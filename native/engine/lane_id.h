// How a live lane is named across the boundary.
#pragma once

#include <cstdint>

namespace trunkline::engine {

// A slot is reused; its generation is not. A pair whose generation is no longer that of the slot is stale,
// and whatever it asks for is dropped.
struct LaneId {
  uint32_t slot = 0;
  uint32_t generation = 0;

  friend bool operator==(const LaneId&, const LaneId&) = default;
};

}  // namespace trunkline::engine
