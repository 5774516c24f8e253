// The dot-product kernels of nearest.h, one for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trunkline::embed {

// Computes the dot product of each of `count` rows of `size` bytes with the query.
using SumKernel = void (*)(const int8_t* rows, size_t count, const int8_t* query, size_t size, int32_t* sums);

extern const SumKernel kSumsPlain;
extern const SumKernel kSumsAvx2;
extern const SumKernel kSumsVnni;
extern const SumKernel kSumsNeon;

SumKernel BestSumKernel();

}  // namespace trunkline::embed
