// Detects DTMF keys in the audio of an end without telephone events. Media thread.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "dsp/dsp.h"

namespace trunkline::rtp {

class InbandDtmf {
 public:
  explicit InbandDtmf(int rate) : detector_(rate), floats_(static_cast<size_t>(rate) / 100) {}

  // Takes the next 10 ms; calls `pressed` with each key that has become certain.
  template <class Pressed>
  void Hear(std::span<const int16_t> piece, Pressed pressed) {
    dsp::ToFloat(piece, floats_);
    std::array<dsp::DtmfEvent, 4> events;
    const size_t count = detector_.Process(floats_, events);
    for (size_t i = 0; i < count; ++i) {
      if (!events[i].ended) pressed(events[i].digit);
    }
  }

 private:
  dsp::DtmfDetector detector_;
  std::vector<float> floats_;
};

}  // namespace trunkline::rtp
