#include "lanes/embed/nearest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "base/cpu.h"
#include "lanes/embed/nearest_kernels.h"

namespace trunkline::embed {
namespace {

std::vector<int8_t> Bytes(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> any(-127, 127);
  std::vector<int8_t> bytes(count);
  for (int8_t& byte : bytes) byte = static_cast<int8_t>(any(random));
  return bytes;
}

std::vector<SumKernel> Kernels() {
  std::vector<SumKernel> kernels = {kSumsPlain};
#if defined(__x86_64__)
  if (base::Cpu().avx2) kernels.push_back(kSumsAvx2);
  if (base::Cpu().avx512 && base::Cpu().avx512_vnni) kernels.push_back(kSumsVnni);
#elif defined(__aarch64__)
  if (base::Cpu().neon) kernels.push_back(kSumsNeon);
#endif
  return kernels;
}

int64_t Exact(const int8_t* row, const std::vector<int8_t>& query) {
  int64_t sum = 0;
  for (size_t i = 0; i < query.size(); ++i) sum += int64_t{row[i]} * query[i];
  return sum;
}

TEST(Nearest, SumsAreExactInEveryKernel) {
  for (const size_t size : {1, 15, 16, 63, 64, 65, 127, 384, 400}) {
    const std::vector<int8_t> rows = Bytes(9 * size, 1), query = Bytes(size, 2);
    for (const SumKernel kernel : Kernels()) {
      std::vector<int32_t> sums(9);
      kernel(rows.data(), 9, query.data(), size, sums.data());
      for (size_t row = 0; row < 9; ++row) EXPECT_EQ(sums[row], Exact(&rows[row * size], query)) << size;
    }
  }
}

TEST(Nearest, TheLargestBytesCutNothing) {
  for (const int8_t a : {-127, 127}) {
    for (const int8_t b : {-127, 127}) {
      const std::vector<int8_t> rows(384, a), query(384, b);
      for (const SumKernel kernel : Kernels()) {
        int32_t sum = 0;
        kernel(rows.data(), 1, query.data(), 384, &sum);
        EXPECT_EQ(sum, 384 * a * b);
      }
    }
  }
}

TEST(Nearest, KeepsTheBestInOrder) {
  constexpr size_t kSize = 384, kCount = 1000;
  const std::vector<int8_t> rows = Bytes(kSize * kCount, 3), query = Bytes(kSize, 4);
  std::vector<Neighbour> all;
  for (uint32_t row = 0; row < kCount; ++row) {
    all.push_back({row, static_cast<int32_t>(Exact(&rows[row * kSize], query))});
  }
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.sum > b.sum; });
  const std::vector<Neighbour> best = Nearest(rows, query, 60);
  ASSERT_EQ(best.size(), 60U);
  for (size_t i = 0; i < best.size(); ++i) {
    EXPECT_EQ(best[i].row, all[i].row);
    EXPECT_EQ(best[i].sum, all[i].sum);
  }
}

TEST(Nearest, OfEqualOnesTheEarliest) {
  const std::vector<int8_t> rows(64 * 600, 1), query(64, 1);
  const std::vector<Neighbour> best = Nearest(rows, query, 3);
  ASSERT_EQ(best.size(), 3U);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(best[i].row, i);
}

TEST(Nearest, FewRowsOrNone) {
  const std::vector<int8_t> rows = Bytes(2 * 64 + 7, 5), query = Bytes(64, 6);
  EXPECT_EQ(Nearest(rows, query, 10).size(), 2U);
  EXPECT_TRUE(Nearest({}, query, 10).empty());
  EXPECT_TRUE(Nearest(rows, {}, 10).empty());
  EXPECT_TRUE(Nearest(rows, query, 0).empty());
}

}  // namespace
}  // namespace trunkline::embed
