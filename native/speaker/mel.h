// The mel spectrum of speech in 40 bands, every 10 ms, as the speaker model expects it. Not for the realtime
// path.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dsp/dsp.h"

namespace trunkline::speaker {

inline constexpr int kRate = 16000;
inline constexpr size_t kMelBands = 40, kMelHop = 160, kMelFrame = 512;

class Mel {
 public:
  Mel();

  static size_t FramesIn(size_t samples) {
    return samples < kMelFrame ? 0 : 1 + (samples - kMelFrame) / kMelHop;
  }
  // [frames, kMelBands], a row every kMelHop samples; none for less than kMelFrame. Each band's filter has an
  // area of 1, so a row is a density: power per hertz.
  std::vector<float> Power(std::span<const float> samples) const;
  // The base-10 logarithm of Power: the model's input.
  std::vector<float> Features(std::span<const float> samples) const;
  // The width in hertz: a density times this is the power in the band.
  static float BandWidth(size_t band);
  static float Centre(size_t band);

 private:
  template <typename Take>
  void EachBand(std::span<const float> samples, Take take) const;

  std::vector<double> window_;
  std::vector<double> cos_, sin_;
};

}  // namespace trunkline::speaker
