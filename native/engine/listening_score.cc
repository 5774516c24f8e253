#include "engine/listening_score.h"

#include <algorithm>
#include <cmath>

#include "engine/listening_weights.h"

namespace trunkline::engine {
namespace {

// 24 ms each: how the sound goes on when it is looked at.
constexpr size_t kLastRows = 4;

}  // namespace

float ListeningScore(std::span<const float> rows) {
  const size_t count = rows.size() / kRowWidth;
  if (count == 0) return 0;
  const size_t last = std::min(count, kLastRows);
  float score = kListeningBias;
  for (size_t column = 0; column < kRowWidth; ++column) {
    float sum = 0, late = 0, squares = 0, most = rows[column];
    for (size_t row = 0; row < count; ++row) {
      const float value = rows[row * kRowWidth + column];
      sum += value;
      most = std::max(most, value);
      if (row >= count - last) late += value;
    }
    const float mean = sum / static_cast<float>(count);
    for (size_t row = 0; row < count; ++row) {
      const float apart = rows[row * kRowWidth + column] - mean;
      squares += apart * apart;
    }
    score += mean * kListeningOfMean[column] + late / static_cast<float>(last) * kListeningOfLast[column] +
             most * kListeningOfMost[column] +
             std::sqrt(squares / static_cast<float>(count)) * kListeningOfSpread[column];
  }
  return score;
}

}  // namespace trunkline::engine
