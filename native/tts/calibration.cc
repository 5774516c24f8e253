#include "tts/calibration.h"

#include <algorithm>

namespace trunkline::tts {

std::vector<float> Calibration::StatisticsFor(size_t frames) const {
  // Beyond the lengths that were measured, linear extrapolation soon fails.
  constexpr float kFewest = 90, kMax = 500;
  const float inverse = 1 / std::clamp(static_cast<float>(frames), kFewest, kMax);
  const float part = (inverse - 1 / kLongFrames) / (1 / kShortFrames - 1 / kLongFrames);
  const size_t half = statistics.size() / 2;
  std::vector<float> mixed(half);
  for (size_t i = 0; i < half; ++i) {
    const float brief = statistics[i], lengthy = statistics[half + i];
    mixed[i] = lengthy + part * (brief - lengthy);
    // Extrapolation must not make a variance negative.
    if (brief > 0 && lengthy > 0) mixed[i] = std::max(mixed[i], std::min(brief, lengthy) / 4);
  }
  return mixed;
}

}  // namespace trunkline::tts
