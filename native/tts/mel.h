// The power of speech in 40 bands of the mel scale, every 10 ms. Not for the realtime path.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::tts {

inline constexpr int kMelRate = 16000;
inline constexpr size_t kMelBands = 40, kMelHop = 160, kMelFrame = 512;

class Mel {
 public:
  Mel();

  // [frames, kMelBands], a row every kMelHop samples; none of less than kMelFrame. Each band's filter has an
  // area of 1, so a row is a density: power a hertz.
  std::vector<float> Power(std::span<const float> samples) const;
  // In hertz: a density times this is the power in the band.
  static float BandWidth(size_t band);
  static float Centre(size_t band);

 private:
  std::vector<float> window_;
  std::vector<float> bands_;  // [kMelBands, bins]
};

}  // namespace trunkline::tts
