// What a call's sound itself tells of its line: how much of each way is clipped, and what comes back of what we say.
// Media thread.
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

  // The next 10 ms as they are heard here; `sound`: the other end is in them.
  void Heard(std::span<const int16_t> piece, bool sound);
  // 20 ms that are sent now; empty: none are.
  void Said(std::span<const int16_t> frame);
  // After the second piece of a frame's time.
  void Look(double now_ms) { echo_.Look(now_ms); }

  // 0 to 1; below 0: there was no sound.
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
