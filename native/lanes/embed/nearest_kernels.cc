#include "lanes/embed/nearest_kernels.h"

#include "base/cpu.h"

namespace trunkline::embed {

static void Sums(const int8_t* rows, size_t count, const int8_t* query, size_t size, int32_t* sums) {
  for (size_t row = 0; row < count; ++row, rows += size) {
    int32_t sum = 0;
    for (size_t i = 0; i < size; ++i) sum += rows[i] * query[i];
    sums[row] = sum;
  }
}

extern const SumKernel kSumsPlain = Sums;

SumKernel BestSumKernel() {
#if defined(__x86_64__)
  const base::CpuFeatures& cpu = base::Cpu();
  if (cpu.avx512 && cpu.avx512_vnni) return kSumsVnni;
  if (cpu.avx2) return kSumsAvx2;
#elif defined(__aarch64__)
  if (base::Cpu().neon) return kSumsNeon;
#endif
  return kSumsPlain;
}

}  // namespace trunkline::embed
