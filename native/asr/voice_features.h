// The spectra that the speaker model reads: 40 Slaney bands of 25 ms Hamming windows every 10 ms, log10 of
// their power. Not for the realtime thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::asr {

class VoiceFeatures {
 public:
  static constexpr size_t kBands = 40;
  static constexpr size_t kHop = 160;
  static constexpr size_t kTransform = 512;

  VoiceFeatures();

  static size_t FramesIn(size_t samples) {
    return samples < kTransform ? 0 : 1 + (samples - kTransform) / kHop;
  }

  // [frames, kBands] of 16 kHz samples, frame after frame.
  std::vector<float> Compute(std::span<const float> samples) const;

 private:
  static constexpr size_t kWindow = 400;
  static constexpr size_t kBins = kTransform / 2 + 1;

  struct Band {
    size_t first;
    std::vector<double> weights;
  };

  void Power(std::span<const float> frame, std::vector<double>& re, std::vector<double>& im) const;

  std::vector<double> window_;
  std::vector<double> cos_;
  std::vector<double> sin_;
  std::vector<Band> bands_;
};

}  // namespace trunkline::asr
