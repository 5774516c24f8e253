// Which instruction sets the kernels of this room may use on this machine.
#pragma once

#include <string_view>
#include <vector>

#include "dsp/isa.h"

namespace trunkline::dsp {

std::string_view IsaName(Isa isa);

// True where the processor and the operating system both support `isa` and this build holds kernels for it.
bool IsaSupported(Isa isa);

// All supported sets, the fastest first, the plain one last.
std::vector<Isa> SupportedIsas();

// The fastest supported set; found once, then free. TRUNKLINE_ISA=plain|avx2|avx512 in the environment lowers
// it (to compare paths, or to step around a processor's fault); a set that is not supported is ignored.
Isa BestIsa();

}  // namespace trunkline::dsp
