// Measures the cost of a lane's detectors and meters beside spandsp's DTMF receiver, with 20 ms frames of speech-like
// noise at 8 kHz.
#include <cmath>
#include <cstdio>
#include <random>

#include "bench/kernels/race.h"
#include "dsp/call_tones.h"
#include "dsp/convert.h"
#include "dsp/dtmf.h"
#include "dsp/level.h"
#include "dsp/limiter.h"

#ifdef TRUNKLINE_PEER_SPANDSP
#include <spandsp.h>
#endif

namespace {

namespace dsp = trunkline::dsp;
using trunkline::bench::Contestant;
using trunkline::bench::Touch;

constexpr size_t kFrame = 160, kFrames = 200;

void Print(const char* operation, const std::vector<Contestant>& contestants, int rounds) {
  for (const auto& result : trunkline::bench::Race(contestants, kFrame * kFrames, rounds)) {
    std::printf("{\"kind\":\"stage\",\"op\":\"%s\",\"who\":\"%s\",\"ns\":%.4f,\"deviation\":%.4f}\n",
                operation, result.who.c_str(), result.median_ns, result.deviation);
  }
}

template <typename Each>
std::function<void()> ForFrames(Each each) {
  return [each] {
    for (size_t frame = 0; frame < kFrames; ++frame) each(frame * kFrame);
  };
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = trunkline::bench::ReadOptions(argc, argv);
  std::mt19937 random(1);
  std::vector<float> in(kFrame * kFrames);
  float low = 0;
  for (float& sample : in) {
    low += (static_cast<float>(random() >> 8) / 8388608.0f - 1 - low) * 0.3f;
    sample = low * 0.4f;
  }
  std::vector<int16_t> in16(in.size());
  dsp::ToInt16(in, in16);

  dsp::DtmfDetector dtmf(8000);
  std::vector<Contestant> digits = {{"ours", ForFrames([&](size_t at) {
                                       std::array<dsp::DtmfEvent, 8> events;
                                       dtmf.Process(std::span(in).subspan(at, kFrame), events);
                                       Touch(events.data());
                                     })}};
#ifdef TRUNKLINE_PEER_SPANDSP
  dtmf_rx_state_t* receiver = dtmf_rx_init(nullptr, nullptr, nullptr);
  digits.push_back({"spandsp", ForFrames([&](size_t at) {
                      dtmf_rx(receiver, in16.data() + at, static_cast<int>(kFrame));
                      Touch(receiver);
                    })});
#endif
  Print("DTMF", digits, options.rounds);

  dsp::CallToneDetector tones(8000);
  Print("call tones", {{"ours", ForFrames([&](size_t at) {
                          std::array<dsp::CallToneEvent, 8> events;
                          tones.Process(std::span(in).subspan(at, kFrame), events);
                          Touch(events.data());
                        })}},
        options.rounds);
  dsp::LevelMeter meter(8000);
  Print("level", {{"ours", ForFrames([&](size_t at) {
                     std::array<dsp::LevelReading, 4> readings;
                     meter.Process(std::span(in).subspan(at, kFrame), readings);
                     Touch(readings.data());
                   })}},
        options.rounds);
  dsp::Limiter limiter(8000);
  std::vector<float> out(kFrame);
  Print("limiter", {{"ours", ForFrames([&](size_t at) {
                       limiter.Process(std::span(in).subspan(at, kFrame), out);
                       Touch(out.data());
                     })}},
        options.rounds);
}
