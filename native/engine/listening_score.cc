#include "engine/listening_score.h"

#include <algorithm>

#include "engine/listening_weights.h"

namespace trunkline::engine {
namespace {

// 24 ms each: how the sound goes on when it is looked at.
constexpr size_t kLastRows = 4;

float Weighed(std::span<const float> rows, const std::array<float, kRowWidth>& weights) {
  float sum = 0;
  for (size_t at = 0; at < rows.size(); ++at) sum += rows[at] * weights[at % kRowWidth];
  return sum * kRowWidth / static_cast<float>(rows.size());
}

}  // namespace

float ListeningScore(std::span<const float> rows) {
  const size_t count = rows.size() / kRowWidth;
  if (count == 0) return 0;
  const auto all = rows.first(count * kRowWidth);
  return kListeningBias + Weighed(all, kListeningOfAll) +
         Weighed(all.last(std::min(count, kLastRows) * kRowWidth), kListeningOfLast);
}

}  // namespace trunkline::engine
