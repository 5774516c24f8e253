// Detects DTMF keys in the caller's audio. Media thread; no allocation after the longest frame.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dsp/dsp.h"
#include "lanes/omni/event_writer.h"

namespace trunkline::omni {

class KeyDetector {
 public:
  explicit KeyDetector(int rate);

  // Takes the caller's audio; its last sample is that of `now_ms`.
  void Take(engine::LaneIo& io, std::span<const int16_t> samples, double now_ms, OmniEventWriter& events);

 private:
  const int rate_;
  int64_t heard_ = 0;
  dsp::DtmfDetector detector_;
  std::vector<float> samples_;
  std::array<dsp::DtmfEvent, 32> events_{};
};

}  // namespace trunkline::omni
