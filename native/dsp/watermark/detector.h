// Finds a mark: looks for the pattern at every delay, and at every speed from 3 % too slow to 3 % too fast, whether the pitch went
// with it or was kept.
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

// So many delays and speeds are tried of a window, for the whole pattern and for its common cells. By Hoeffding's bound a sound
// that has nothing to do with the code scores t with a probability of at most kTried * exp(-t * t / 2).
inline constexpr size_t kTried = 81'120;

struct Detection {
  // Standard deviations of what chance gives: of the whole pattern, and of what the deployment's codes have in common.
  float whole = 0, common = 0;
  // Where the larger of the two is: the same of the tag's cells alone, the speed, and what each bit of the tag sounds like.
  float tag = 0, speed = 1;
  std::array<float, kTagBits> bits{};

  float score() const { return whole > common ? whole : common; }
};

class WatermarkDetector {
 public:
  explicit WatermarkDetector(const WatermarkCode& code);
  ~WatermarkDetector();

  // At most a window of samples; shorter ones say less.
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
  std::array<std::array<float, 2>, 4> chance_{};  // of each quarter of a cell: of even and odd places
};

}  // namespace trunkline::watermark
