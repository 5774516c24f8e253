// Every kind of the product. This room alone knows them all.
#pragma once

#include "engine/engine.h"

namespace trunkline::binding {

// A new kind gets its line in kinds.cc.
engine::Kinds AllKinds();

}  // namespace trunkline::binding
