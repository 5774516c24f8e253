#include "lanes/omni/key_detector.h"

#include <algorithm>

namespace trunkline::omni {

KeyDetector::KeyDetector(int rate) : rate_(rate), detector_(rate) {
  samples_.reserve(static_cast<size_t>(rate) / 10);
}

void KeyDetector::Take(engine::LaneIo& io, std::span<const int16_t> samples, double now_ms,
                       OmniEventWriter& events) {
  samples_.resize(samples.size());
  std::transform(samples.begin(), samples.end(), samples_.begin(),
                 [](int16_t sample) { return static_cast<float>(sample) / 32768.0f; });
  heard_ += static_cast<int64_t>(samples.size());
  const size_t count = detector_.Process(samples_, events_);
  for (const dsp::DtmfEvent& event : std::span(events_).first(count)) {
    if (event.ended) continue;
    const double ago_ms = static_cast<double>(heard_ - event.start) * 1000 / rate_;
    events.Key(io, event.digit, std::max(0.0, now_ms - ago_ms));
  }
}

}  // namespace trunkline::omni
