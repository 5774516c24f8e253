// DTLN: takes noise out of speech, a window of 32 ms every 8 ms. One network masks the window's spectrum, another repairs
// the wave that is left. Not for the realtime path, and not for recognition, which writes fewer words of what any
// denoiser leaves.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "base/status.h"
#include "dsp/dsp.h"
#include "onnx/onnx.h"

namespace trunkline::enhance {

class Dtln {
 public:
  static constexpr int kRate = 16000;
  static constexpr size_t kWindow = 512, kHop = 128, kBins = kWindow / 2 + 1;
  static constexpr const char* kMaskModel = "denoiser/mask.onnx";
  static constexpr const char* kWaveModel = "denoiser/wave.onnx";

  // The networks' states of one stream of audio.
  struct Memory {
    std::array<float, size_t{2} * 128 * 2> mask{}, wave{};
  };
  using Window = std::array<float, kWindow>;

  // Returns kBadModel when a session is of another model.
  static base::Result<std::shared_ptr<const Dtln>> Create(std::unique_ptr<onnx::Session> mask,
                                                          std::unique_ptr<onnx::Session> wave);

  // Replaces a window by its share of the speech: the shares of the windows over a sample add up to it. After a failure
  // both are as they were. `fft` has kWindow samples.
  base::Status Clean(Window& window, Memory& memory, dsp::RealFft& fft) const;

 private:
  Dtln() = default;
  std::unique_ptr<onnx::Session> mask_, wave_;
};

}  // namespace trunkline::enhance
