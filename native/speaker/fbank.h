// The mel filter bank of Kaldi, as CAM++ was trained on it: 25 ms frames every 10 ms without their mean, with a
// pre-emphasis of 0.97 and Povey's window; 80 triangles from 20 Hz to 8 kHz; natural logarithms of the power.
// WeSpeaker's encoders were trained with Hamming's window.
// Not for the realtime path.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::speaker {

enum class FbankWindow { kPovey, kHamming };

class Fbank {
 public:
  static constexpr size_t kBands = 80, kFrame = 400, kHop = 160;

  explicit Fbank(FbankWindow window = FbankWindow::kPovey);

  static size_t FramesIn(size_t samples) { return samples < kFrame ? 0 : 1 + (samples - kFrame) / kHop; }
  // [frames, kBands] of audio at 16 kHz, full scale 1.
  std::vector<float> Features(std::span<const float> samples) const;

 private:
  struct Band {
    size_t first = 0;
    std::vector<double> weights;
  };

  std::vector<double> window_;
  std::vector<Band> bands_;
};

}  // namespace trunkline::speaker
