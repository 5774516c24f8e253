#include <arm_neon.h>

#include "lanes/embed/nearest_kernels.h"

namespace trunkline::embed {

// Products of 16 bits are added in pairs to sums of 32 bits, so nothing saturates.
static void Sums(const int8_t* rows, size_t count, const int8_t* query, size_t size, int32_t* sums) {
  for (size_t row = 0; row < count; ++row, rows += size) {
    int32x4_t low = vdupq_n_s32(0), high = vdupq_n_s32(0);
    size_t i = 0;
    for (; i + 16 <= size; i += 16) {
      const int8x16_t a = vld1q_s8(rows + i), b = vld1q_s8(query + i);
      low = vpadalq_s16(low, vmull_s8(vget_low_s8(a), vget_low_s8(b)));
      high = vpadalq_s16(high, vmull_high_s8(a, b));
    }
    int32_t sum = vaddvq_s32(vaddq_s32(low, high));
    for (; i < size; ++i) sum += rows[i] * query[i];
    sums[row] = sum;
  }
}

extern const SumKernel kSumsNeon = Sums;

}  // namespace trunkline::embed
