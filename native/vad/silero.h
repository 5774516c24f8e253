// The Silero voice activity detector: the speech probability of each 32 ms of audio, for many lanes in one
// run.
//
// Runs on the media thread (about 0.1 ms a batch); allocates only when a batch is larger than any before it.
// One Silero belongs to one thread; its model may be shared.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "onnx/onnx.h"

namespace trunkline::vad {

enum class VadRate : int { k8k = 8000, k16k = 16000 };

// Samples of one frame: 32 ms at either rate.
constexpr size_t FrameSamples(VadRate rate) {
  return rate == VadRate::k16k ? 512 : 256;
}
// Samples of the previous frame that the model needs again.
constexpr size_t ContextSamples(VadRate rate) {
  return FrameSamples(rate) / 8;
}
inline constexpr double kFrameSeconds = 0.032;

// The model's state for one stream; zero at its start.
struct VadState {
  std::array<float, 2 * 128> memory{};
  std::array<float, 64> context{};
};

struct VadItem {
  VadState* state;
  std::span<const float> frame;  // FrameSamples(rate) samples in -1..1
  float probability = 0;         // the answer
};

class Silero {
 public:
  static base::Result<std::shared_ptr<onnx::Session>> OpenModel(const onnx::SessionOpener& open);
  static base::Result<std::shared_ptr<onnx::Session>> OpenModel(std::shared_ptr<onnx::Runtime> runtime,
                                                                const std::string& path);
  explicit Silero(std::shared_ptr<onnx::Session> model) : model_(std::move(model)) {}

  // All items have this rate. A failure leaves all states unchanged.
  base::Status Run(VadRate rate, std::span<VadItem> items);

 private:
  std::shared_ptr<onnx::Session> model_;
  std::vector<float> input_, state_in_, state_out_, output_;
};

}  // namespace trunkline::vad
