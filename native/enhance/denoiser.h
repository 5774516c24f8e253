// Takes the noise out of one stream of audio. Sample n of what comes out belongs to sample n of what went in, and
// comes up to 45 ms later: a window of the network, a hop, and the resamplers' delays. Any split of the input gives the
// same samples. Content above 8 kHz is lost. Not for the realtime path: a second of audio takes 20 ms.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "dsp/dsp.h"
#include "enhance/dtln.h"

namespace trunkline::enhance {

class Denoiser {
 public:
  // Returns kInvalidArgument for a rate that cannot be converted to the network's.
  static base::Result<std::unique_ptr<Denoiser>> Create(std::shared_ptr<const Dtln> model, int rate);

  // Appends what is ready to `out`. A window that the network fails on passes as it came.
  void Process(std::span<const int16_t> in, std::vector<int16_t>& out);
  // Appends the rest, so that as much came out as went in. The next Process begins anew.
  void Flush(std::vector<int16_t>& out);

 private:
  Denoiser(std::shared_ptr<const Dtln> model, std::optional<dsp::Resampler> up,
           std::optional<dsp::Resampler> down);
  void Begin();
  void Take(std::span<const float> samples, std::vector<int16_t>& out);
  void Hop(std::span<const float> hop, std::vector<int16_t>& out);
  void Give(std::span<const float> samples, std::vector<int16_t>& out);

  const std::shared_ptr<const Dtln> model_;
  // They are absent where the stream has the network's rate.
  std::optional<dsp::Resampler> up_, down_;
  dsp::RealFft fft_{Dtln::kWindow};
  Dtln::Memory memory_;

  std::vector<float> waiting_;  // at the network's rate, less than a hop
  Dtln::Window window_{};       // the newest input
  Dtln::Window result_{};       // the sum of the shares of the windows so far, of the same time
  // It says of each hop of `window_` whether it is silent.
  std::array<bool, Dtln::kWindow / Dtln::kHop> silent_{};
  size_t up_skipped_ = 0, skipped_ = 0, down_skipped_ = 0;
  uint64_t taken_ = 0, given_ = 0;  // samples at the stream's rate since the beginning
  std::vector<float> floats_, upsampled_;
  std::vector<int16_t> pcm_;
};

}  // namespace trunkline::enhance
