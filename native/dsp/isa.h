// The instruction sets of the kernels. Separate from cpu.h so that files compiled for one set include no
// standard header.
#pragma once

namespace trunkline::dsp {

enum class Isa { kPlain, kAvx2, kAvx512, kNeon };

}  // namespace trunkline::dsp
