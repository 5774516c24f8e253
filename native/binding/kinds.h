// All kinds of the product; only this module includes them all.
#pragma once

#include "engine/engine.h"

namespace trunkline::binding {

engine::Kinds AllKinds();

}  // namespace trunkline::binding
