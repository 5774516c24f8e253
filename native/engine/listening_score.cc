#include "engine/listening_score.h"

#include <algorithm>
#include <cmath>

#include "engine/listening_weights.h"

namespace trunkline::engine {
namespace {

// 24 ms each of Moonshine's, 20 of Whisper's: how the sound goes on when it is looked at.
constexpr size_t kLastRows = 4;
static_assert(kMoonshineNets.width == kMoonshineRow && kWhisperNets.width == kWhisperRow);

using Columns = std::array<float, kListeningColumns>;

Columns Seen(const ListeningNets& nets, std::span<const float> row, size_t net) {
  Columns seen;
  std::copy_n(&nets.row_bias[net * kListeningColumns], kListeningColumns, seen.begin());
  for (size_t in = 0; in < nets.width; ++in) {
    const float* weights = &nets.of_row[(net * nets.width + in) * kListeningColumns];
    for (size_t out = 0; out < kListeningColumns; ++out) seen[out] += row[in] * weights[out];
  }
  for (float& value : seen) value = std::tanh(value);
  return seen;
}

// The means over all rows, over the last ones and over the first half, and the greatest values.
std::array<float, kListeningPools> Pooled(const ListeningNets& nets, std::span<const float> rows,
                                          size_t net) {
  const size_t count = rows.size() / nets.width;
  std::array<float, kListeningPools> pooled{};
  const size_t last = std::min(count, kLastRows), half = count / 2;
  float* const mean = pooled.data();
  float* const late = mean + kListeningColumns;
  float* const early = late + kListeningColumns;
  float* const most = early + kListeningColumns;
  std::fill_n(most, kListeningColumns, -1.0f);
  for (size_t row = 0; row < count; ++row) {
    const Columns seen = Seen(nets, rows.subspan(row * nets.width, nets.width), net);
    for (size_t column = 0; column < kListeningColumns; ++column) {
      mean[column] += seen[column] / static_cast<float>(count);
      if (row >= count - last) late[column] += seen[column] / static_cast<float>(last);
      if (row < half) early[column] += seen[column] / static_cast<float>(half);
      most[column] = std::max(most[column], seen[column]);
    }
  }
  return pooled;
}

float ScoreOf(const ListeningNets& nets, std::span<const float> rows, size_t net) {
  const auto pooled = Pooled(nets, rows, net);
  float score = nets.bias[net];
  std::array<float, kListeningHiddens> hidden;
  std::copy_n(&nets.hidden_bias[net * kListeningHiddens], kListeningHiddens, hidden.begin());
  for (size_t in = 0; in < kListeningPools; ++in) {
    score += pooled[in] * nets.straight[net * kListeningPools + in];
    const float* weights = &nets.hidden[(net * kListeningPools + in) * kListeningHiddens];
    for (size_t out = 0; out < kListeningHiddens; ++out) hidden[out] += pooled[in] * weights[out];
  }
  for (size_t out = 0; out < kListeningHiddens; ++out)
    score += std::max(0.0f, hidden[out]) * nets.out[net * kListeningHiddens + out];
  return score;
}

float MeanOf(const ListeningNets& nets, std::span<const float> rows) {
  float sum = 0;
  for (size_t net = 0; net < kListeningNets; ++net) sum += ScoreOf(nets, rows, net);
  return sum / static_cast<float>(kListeningNets);
}

}  // namespace

float ListeningScore(std::span<const float> moonshine, std::span<const float> whisper) {
  float sum = 0;
  int ears = 0;
  if (moonshine.size() >= kMoonshineRow) sum += MeanOf(kMoonshineNets, moonshine), ++ears;
  if (whisper.size() >= kWhisperRow) sum += MeanOf(kWhisperNets, whisper), ++ears;
  return ears == 0 ? 0 : sum / static_cast<float>(ears);
}

}  // namespace trunkline::engine
