#include "vad/smart_turn.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace trunkline::vad {
namespace {

constexpr float kLeastVariance = 1e-7f;

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
  const double deviation = std::sqrt(squares / static_cast<double>(window.size()) + kLeastVariance);
  for (float& x : window) x = static_cast<float>((x - mean) / deviation);
  return window;
}

}  // namespace

base::Result<std::unique_ptr<SmartTurn>> SmartTurn::Open(std::shared_ptr<onnx::Runtime> runtime,
                                                         const std::string& path) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto session, onnx::Session::Open(std::move(runtime), path, {}));
  const char* const inputs[] = {"input_features"};
  const char* const outputs[] = {"logits"};
  TRUNKLINE_RETURN_IF_FAILED(session->Require(inputs, outputs));
  return std::unique_ptr<SmartTurn>(new SmartTurn(std::move(session)));
}

base::Result<float> SmartTurn::Finished(std::span<const float> samples) const {
  constexpr size_t kFrames = kSamples / dsp::LogMel::kHop;
  std::vector<float> mel(dsp::LogMel::kBands * kFrames);
  log_mel_.Compute(Normalised(samples), kFrames, mel);
  const int64_t shape[] = {1, dsp::LogMel::kBands, kFrames};
  TRUNKLINE_ASSIGN_OR_RETURN(auto features, onnx::Tensor::View<float>(model_->runtime(), mel, shape));
  onnx::Tensor probability;  // the model's last step is a sigmoid
  const onnx::Input inputs[] = {{"input_features", &features}};
  const onnx::Output outputs[] = {{"logits", &probability}};
  TRUNKLINE_RETURN_IF_FAILED(model_->Run(inputs, outputs));
  const auto values = probability.data<float>();
  if (values.size() != 1 || !std::isfinite(values[0])) {
    return base::Status(base::Code::kInference, "the end-of-turn model gave no probability");
  }
  return values[0];
}

}  // namespace trunkline::vad
