// All kinds of the product; only this module knows them all.
#pragma once

#include "engine/engine.h"

namespace trunkline::binding {

engine::Kinds AllKinds();

}  // namespace trunkline::binding
