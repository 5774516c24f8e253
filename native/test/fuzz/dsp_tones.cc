// Any sound, any split: no crash, no sanitizer report, events in order.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "dsp/call_tones.h"
#include "dsp/dtmf.h"
#include "dsp/level.h"
#include "dsp/limiter.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trunkline::dsp;
  if (size < 3) return 0;
  constexpr int kRates[] = {8000, 16000, 24000, 48000};
  const int rate = kRates[data[0] % 4];
  const size_t piece = 1 + data[1];
  // Raw floats (numbers or not) or 16-bit samples, by the third byte.
  std::vector<float> in;
  if (data[2] & 1) {
    in.resize((size - 3) / sizeof(float));
    if (!in.empty()) std::memcpy(in.data(), data + 3, in.size() * sizeof(float));
  } else {
    for (size_t i = 3; i + 1 < size; i += 2)
      in.push_back(static_cast<int16_t>(data[i] | data[i + 1] << 8) / 32768.0f);
  }
  DtmfDetector dtmf(rate);
  CallToneDetector tones(rate);
  LevelMeter meter(rate);
  Limiter limiter(rate);
  for (size_t at = 0; at < in.size(); at += piece) {
    const auto part = std::span(in).subspan(at, std::min(piece, in.size() - at));
    std::array<DtmfEvent, 4> digits;
    const size_t heard = dtmf.Process(part, digits);
    for (size_t i = 0; i < heard; ++i) {
      if (digits[i].end < digits[i].start) std::abort();
    }
    std::array<CallToneEvent, 2> events;
    const size_t found = tones.Process(part, events);
    for (size_t i = 0; i < found; ++i) {
      if (events[i].end < events[i].start) std::abort();
    }
    std::array<LevelReading, 4> readings;
    if (meter.Process(part, readings) > readings.size()) std::abort();
    std::vector<float> limited(part.size());
    limiter.Process(part, limited);
    for (float sample : limited) {
      if (!(sample >= -1 && sample <= 1)) std::abort();
    }
  }
  return 0;
}
