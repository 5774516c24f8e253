// Detects a watermark: searches the pattern at every delay and at every speed within 3 %, with the pitch
// changed or kept.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dsp/watermark/band_levels.h"
#include "dsp/watermark/pattern.h"

namespace trunkline::watermark {

inline constexpr size_t kWindow = 5 * kDetectionRate;

// The number of delays and speeds that are tried in a window, for the whole pattern and for its common cells.
// By Hoeffding's bound, unrelated audio scores t with a probability of at most kTried * exp(-t * t / 2),
// which bounds the false-positive rate.
inline constexpr size_t kTried = 81'120;

struct Detection {
  // Scores in standard deviations of chance: of the whole pattern, and of the cells that all codes of the
  // deployment share.
  float whole = 0, common = 0;
  // The values at the better of the two: the score of the tag's cells alone, the speed, and a soft value
  // for each bit of the tag.
  float tag = 0, speed = 1;
  std::array<float, kTagBits> bits{};

  float score() const { return whole > common ? whole : common; }
};

class WatermarkDetector {
 public:
  explicit WatermarkDetector(const WatermarkCode& code);
  ~WatermarkDetector();

  // Takes at most a window of samples; less audio scores lower.
  Detection Read(std::span<const float> samples);

 private:
  struct Peak;

  void Fold(double speed);
  void Search(double pitch, double speed, Peak& whole, Peak& common);
  const float& ChanceOfCommon(size_t delay) const;
  void ReadTag(const Peak& peak, Detection& reading);

  const Pattern pattern_;
  BandLevels levels_;
  std::vector<Row> folded_;                       // the levels by their place in the pattern
  std::array<std::array<float, 2>, 4> chance_{};  // indexed by quarters of a cell, and even and odd places
};

}  // namespace trunkline::watermark
