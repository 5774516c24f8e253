// The instruction sets that this module's kernels may use on this machine.
#pragma once

#include <string_view>
#include <vector>

#include "dsp/isa.h"

namespace trunkline::dsp {

std::string_view IsaName(Isa isa);

// Returns whether base/cpu.h finds the set; TRUNKLINE_CPU limits that.
bool IsaSupported(Isa isa);

// All supported sets, the fastest first, the plain one last.
std::vector<Isa> SupportedIsas();

// The fastest supported set; cached.
Isa BestIsa();

}  // namespace trunkline::dsp
