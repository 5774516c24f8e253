#include "vad/recording.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trunkline::vad {
namespace {

constexpr size_t kFrameSize = FrameSamples(VadRate::k16k);
// Frames of 32 ms in a step: about 25 ms of work.
constexpr size_t kStepFrames = 300;
constexpr float kPeak = 0.5F, kMaxGain = 30;

}  // namespace

RecordingActivity::RecordingActivity(std::shared_ptr<onnx::Session> model, std::span<const float> samples)
    : silero_(std::move(model)), samples_(samples) {
  float peak = 0;
  for (const float sample : samples) peak = std::max(peak, std::abs(sample));
  if (peak > 0) gain_ = std::clamp(kPeak / peak, 1.0F, kMaxGain);
  likelihoods_.reserve(samples.size() / kFrameSize);
}

base::Result<bool> RecordingActivity::Step() {
  const size_t frames = samples_.size() / kFrameSize;
  const size_t end = std::min(frames, likelihoods_.size() + kStepFrames);
  std::array<float, kFrameSize> frame;
  while (likelihoods_.size() < end) {
    const auto heard = samples_.subspan(likelihoods_.size() * kFrameSize, kFrameSize);
    std::transform(heard.begin(), heard.end(), frame.begin(), [this](float s) { return s * gain_; });
    VadItem item{&state_, frame};
    TRUNKLINE_RETURN_IF_FAILED(silero_.Run(VadRate::k16k, {&item, 1}));
    likelihoods_.push_back(item.probability);
  }
  return end == frames;
}

}  // namespace trunkline::vad
