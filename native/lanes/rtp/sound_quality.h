// Measures a call's audio: the share of clipped samples of each direction, and the echo of sent
// audio. Media thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dsp/dsp.h"

namespace trunkline::rtp {

class SoundQuality {
 public:
  SoundQuality(int rate, std::shared_ptr<dsp::EchoFinder> finder);

  // Takes the 10 ms that are played; `sound`: they hold the other end's audio.
  void Heard(std::span<const int16_t> piece, bool sound);
  // Takes the 20 ms that are sent; empty when nothing is.
  void Said(std::span<const int16_t> frame);
  // Called after the second half of a frame.
  void Measure(double now_ms) { echo_.Measure(now_ms); }

  // 0 to 1; below 0 without audio.
  double clipped_in() const { return in_.share(); }
  double clipped_out() const { return out_.share(); }
  std::optional<dsp::LineEcho> echo() const { return echo_.echo(); }

 private:
  std::shared_ptr<dsp::EchoFinder> finder_;
  dsp::EchoWatch echo_;
  dsp::ClipMeter in_, out_;
  std::vector<int16_t> silence_;
};

}  // namespace trunkline::rtp
