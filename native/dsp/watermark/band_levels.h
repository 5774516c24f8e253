// The detector's features of audio: the decibels by which each band stands out of its
// surroundings, frame by frame.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dsp/dsp.h"
#include "dsp/watermark/pattern.h"

namespace trunkline::watermark {

inline constexpr int kDetectionRate = 8000;
inline constexpr size_t kFrame = 160, kHop = 32;
inline constexpr double kHopSeconds = static_cast<double>(kHop) / kDetectionRate;
// Frames in a cell: delays are tried in steps of one frame.
inline constexpr size_t kPhases = 4;

// Audio is also tried at kSpeeds slower and as many faster speeds, kSpeedStep apart.
inline constexpr int kSpeeds = 16;
inline constexpr double kSpeedStep = 0.002;
inline double SpeedOf(int step) {
  return 1 + step * kSpeedStep;
}

using Row = std::array<float, kBands>;

inline double Square(float value) {
  return static_cast<double>(value) * value;
}

class BandLevels {
 public:
  BandLevels();

  void Hear(std::span<const float> samples);
  // Computes the rows for audio whose pitch is `pitch` times that at embedding.
  void At(double pitch);

  size_t frames() const { return frames_; }
  std::span<const Row> rows() const { return rows_; }
  // The power of each frame, all bands together.
  std::span<const float> totals() const { return totals_; }
  float loud() const { return loud_; }

 private:
  dsp::RealFft fft_;
  std::vector<float> shape_;
  std::vector<float> sums_;
  std::vector<Row> rows_, around_;
  std::vector<float> totals_;
  float loud_ = 0;
  size_t frames_ = 0;
};

}  // namespace trunkline::watermark
