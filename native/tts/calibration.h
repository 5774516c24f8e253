// The calibration of a voice: the means by which its windows are normalised, its pitch, and the gain to the
// common loudness. Measured once on fixed sentences, and the same for every request after.
#pragma once

#include <cstddef>
#include <vector>

namespace trunkline::tts {

struct Calibration {
  // The means of a short clause, then those of a long one; empty for a model that needs none.
  std::vector<float> statistics;
  float center_hz = 180;
  float gain = 1;

  // A clause begins and ends in about the same silence however long it is, so its means change with the
  // inverse of its length.
  static constexpr float kShortFrames = 100, kLongFrames = 320;
  std::vector<float> StatisticsFor(size_t frames) const;
};

}  // namespace trunkline::tts
