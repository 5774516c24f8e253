// All kinds of the product; only this module knows them all.
#pragma once

#include "engine/engine.h"

namespace trunkline::binding {

// Add a new kind in kinds.cc.
engine::Kinds AllKinds();

}  // namespace trunkline::binding
