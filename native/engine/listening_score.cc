#include "engine/listening_score.h"

#include <algorithm>
#include <cmath>

#include "engine/listening_weights.h"

namespace trunkline::engine {
namespace {

// 24 ms each: how the sound goes on when it is looked at.
constexpr size_t kLastRows = 4;

using Columns = std::array<float, kListeningColumns>;

Columns Seen(std::span<const float> row, size_t net) {
  Columns seen;
  std::copy_n(&kListeningRowBias[net * kListeningColumns], kListeningColumns, seen.begin());
  for (size_t in = 0; in < kRowWidth; ++in) {
    const float* weights = &kListeningOfRow[(net * kRowWidth + in) * kListeningColumns];
    for (size_t out = 0; out < kListeningColumns; ++out) seen[out] += row[in] * weights[out];
  }
  for (float& value : seen) value = std::tanh(value);
  return seen;
}

// The means over all rows, over the last ones and over the first half, and the greatest values.
std::array<float, kListeningPools> Pooled(std::span<const float> rows, size_t count, size_t net) {
  std::array<float, kListeningPools> pooled{};
  const size_t last = std::min(count, kLastRows), half = count / 2;
  float* const mean = pooled.data();
  float* const late = mean + kListeningColumns;
  float* const early = late + kListeningColumns;
  float* const most = early + kListeningColumns;
  std::fill_n(most, kListeningColumns, -1.0f);
  for (size_t row = 0; row < count; ++row) {
    const Columns seen = Seen(rows.subspan(row * kRowWidth, kRowWidth), net);
    for (size_t column = 0; column < kListeningColumns; ++column) {
      mean[column] += seen[column] / static_cast<float>(count);
      if (row >= count - last) late[column] += seen[column] / static_cast<float>(last);
      if (row < half) early[column] += seen[column] / static_cast<float>(half);
      most[column] = std::max(most[column], seen[column]);
    }
  }
  return pooled;
}

float ScoreOf(std::span<const float> rows, size_t count, size_t net) {
  const auto pooled = Pooled(rows, count, net);
  float score = kListeningBias[net];
  std::array<float, kListeningHiddens> hidden;
  std::copy_n(&kListeningHiddenBias[net * kListeningHiddens], kListeningHiddens, hidden.begin());
  for (size_t in = 0; in < kListeningPools; ++in) {
    score += pooled[in] * kListeningStraight[net * kListeningPools + in];
    const float* weights = &kListeningHidden[(net * kListeningPools + in) * kListeningHiddens];
    for (size_t out = 0; out < kListeningHiddens; ++out) hidden[out] += pooled[in] * weights[out];
  }
  for (size_t out = 0; out < kListeningHiddens; ++out)
    score += std::max(0.0f, hidden[out]) * kListeningOut[net * kListeningHiddens + out];
  return score;
}

}  // namespace

float ListeningScore(std::span<const float> rows) {
  const size_t count = rows.size() / kRowWidth;
  if (count == 0) return 0;
  float sum = 0;
  for (size_t net = 0; net < kListeningNets; ++net) sum += ScoreOf(rows, count, net);
  return sum / static_cast<float>(kListeningNets);
}

}  // namespace trunkline::engine
