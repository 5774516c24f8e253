#include "vad/smart_turn.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace trunkline::vad {
namespace {

constexpr float kMinVariance = 1e-7f;

// Pads silence at the front and normalises to mean zero and variance one, as in training.
std::vector<float> Normalised(std::span<const float> samples) {
  const size_t count = std::min(samples.size(), SmartTurn::kSamples);
  std::vector<float> window(SmartTurn::kSamples, 0.0f);
  std::copy(samples.end() - static_cast<ptrdiff_t>(count), samples.end(),
            window.end() - static_cast<ptrdiff_t>(count));
  double sum = 0, squares = 0;
  for (const float x : window) sum += x;
  const double mean = sum / static_cast<double>(window.size());
  for (const float x : window) squares += (x - mean) * (x - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(window.size()) + kMinVariance);
  for (float& x : window) x = static_cast<float>((x - mean) / deviation);
  return window;
}

}  // namespace

base::Result<std::unique_ptr<SmartTurn>> SmartTurn::Open(const onnx::SessionOpener& open) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto session, open("smart-turn/smart-turn-v3.2.onnx", {}));
  const char* const inputs[] = {"input_features"};
  const char* const outputs[] = {"logits"};
  TRUNKLINE_RETURN_IF_FAILED(session->Require(inputs, outputs));
  return std::unique_ptr<SmartTurn>(new SmartTurn(std::move(session)));
}

base::Result<float> SmartTurn::Finished(std::span<const float> samples) const {
  float probability = 0;
  TRUNKLINE_RETURN_IF_FAILED(Finished({&samples, 1}, {&probability, 1}));
  return probability;
}

base::Status SmartTurn::Finished(std::span<const std::span<const float>> recordings,
                                 std::span<float> probabilities) const {
  constexpr size_t kFrames = kSamples / dsp::LogMel::kHop, kValues = dsp::LogMel::kBands * kFrames;
  const size_t count = std::min(recordings.size(), probabilities.size());
  std::vector<float> mel(count * kValues);
  for (size_t i = 0; i < count; ++i) {
    log_mel_.Compute(Normalised(recordings[i]), kFrames, std::span(mel).subspan(i * kValues, kValues));
  }
  const int64_t shape[] = {static_cast<int64_t>(count), dsp::LogMel::kBands, kFrames};
  TRUNKLINE_ASSIGN_OR_RETURN(auto features, onnx::Tensor::View<float>(model_->runtime(), mel, shape));
  onnx::Tensor answers;  // the model's last step is a sigmoid
  const onnx::Input inputs[] = {{"input_features", &features}};
  const onnx::Output outputs[] = {{"logits", &answers}};
  TRUNKLINE_RETURN_IF_FAILED(model_->Run(inputs, outputs));
  const auto values = answers.data<float>();
  const auto finite = [](float value) { return std::isfinite(value); };
  if (values.size() != count || !std::all_of(values.begin(), values.end(), finite)) {
    return base::Status(base::Code::kInference, "the end-of-turn model gave no probability");
  }
  std::copy(values.begin(), values.end(), probabilities.begin());
  return base::Ok();
}

}  // namespace trunkline::vad
