#include "lanes/embed/nearest.h"

#include <algorithm>
#include <array>

#include "lanes/embed/nearest_kernels.h"

namespace trunkline::embed {

std::vector<Neighbour> Nearest(std::span<const int8_t> rows, std::span<const int8_t> query, size_t most) {
  std::vector<Neighbour> best;
  if (query.empty() || most == 0) return best;
  constexpr size_t kRowsAtOnce = 256;
  std::array<int32_t, kRowsAtOnce> sums;
  const auto better = [](const Neighbour& a, const Neighbour& b) {
    return a.sum != b.sum ? a.sum > b.sum : a.row < b.row;
  };
  const SumKernel sums_of = BestSumKernel();
  const size_t count = rows.size() / query.size();
  most = std::min(most, count);
  best.reserve(most + 1);
  // A heap with the smallest of the best rows on top.
  for (size_t from = 0; from < count; from += kRowsAtOnce) {
    const size_t here = std::min(kRowsAtOnce, count - from);
    sums_of(rows.data() + from * query.size(), here, query.data(), query.size(), sums.data());
    for (size_t i = 0; i < here; ++i) {
      if (best.size() == most && sums[i] <= best.front().sum) continue;
      best.push_back({static_cast<uint32_t>(from + i), sums[i]});
      std::push_heap(best.begin(), best.end(), better);
      if (best.size() <= most) continue;
      std::pop_heap(best.begin(), best.end(), better);
      best.pop_back();
    }
  }
  std::sort_heap(best.begin(), best.end(), better);
  return best;
}

}  // namespace trunkline::embed
