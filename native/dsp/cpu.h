// Which instruction sets the kernels of this room may use on this machine.
#pragma once

#include <string_view>

namespace trunkline::dsp {

enum class Isa { kPlain, kAvx2, kAvx512, kNeon };

std::string_view IsaName(Isa isa);

// True where the processor and the operating system both support `isa` and this build holds kernels for it.
bool IsaSupported(Isa isa);

// The fastest supported set; found once, then free. TRUNKLINE_ISA=plain|avx2|avx512 in the environment lowers
// it (to compare paths, or to step around a processor's fault); a set that is not supported is ignored.
Isa BestIsa();

}  // namespace trunkline::dsp
