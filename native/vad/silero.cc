#include "vad/silero.h"

#include <algorithm>

namespace trunkline::vad {
namespace {

constexpr size_t kLayers = 2;
constexpr size_t kWidth = 128;

}  // namespace

base::Result<std::shared_ptr<onnx::Session>> Silero::OpenModel(std::shared_ptr<onnx::Runtime> runtime,
                                                               const std::string& path) {
  return OpenModel([&](const std::string&, const onnx::SessionOptions& options) {
    return onnx::Session::Open(runtime, path, options);
  });
}

base::Result<std::shared_ptr<onnx::Session>> Silero::OpenModel(const onnx::SessionOpener& open) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto session, open("silero-vad/silero_vad.onnx", {}));
  const char* const inputs[] = {"input", "state", "sr"};
  const char* const outputs[] = {"output", "stateN"};
  TRUNKLINE_RETURN_IF_FAILED(session->Require(inputs, outputs));
  return std::shared_ptr<onnx::Session>(std::move(session));
}

base::Status Silero::Run(VadRate rate, std::span<VadItem> items) {
  if (items.empty()) return base::Ok();
  const size_t batch = items.size(), context = ContextSamples(rate), width = context + FrameSamples(rate);
  input_.resize(batch * width);
  state_in_.resize(kLayers * batch * kWidth);
  state_out_.resize(state_in_.size());
  output_.resize(batch);
  for (size_t b = 0; b < batch; ++b) {
    float* row = input_.data() + b * width;
    std::copy_n(items[b].state->context.data(), context, row);
    std::copy_n(items[b].frame.data(), FrameSamples(rate), row + context);
    for (size_t layer = 0; layer < kLayers; ++layer) {
      std::copy_n(items[b].state->memory.data() + layer * kWidth, kWidth,
                  state_in_.data() + (layer * batch + b) * kWidth);
    }
  }
  const auto lanes = static_cast<int64_t>(batch);
  const int64_t input_shape[] = {lanes, static_cast<int64_t>(width)};
  const int64_t state_shape[] = {kLayers, lanes, kWidth};
  const int64_t output_shape[] = {lanes, 1};
  int64_t hertz = static_cast<int64_t>(rate);
  const onnx::Runtime& runtime = model_->runtime();
  TRUNKLINE_ASSIGN_OR_RETURN(auto input, onnx::Tensor::View<float>(runtime, input_, input_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto before, onnx::Tensor::View<float>(runtime, state_in_, state_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto sr, onnx::Tensor::View<int64_t>(runtime, {&hertz, 1}, {}));
  TRUNKLINE_ASSIGN_OR_RETURN(auto output, onnx::Tensor::View<float>(runtime, output_, output_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto after, onnx::Tensor::View<float>(runtime, state_out_, state_shape));
  const onnx::Input inputs[] = {{"input", &input}, {"state", &before}, {"sr", &sr}};
  const onnx::Output outputs[] = {{"output", &output}, {"stateN", &after}};
  TRUNKLINE_RETURN_IF_FAILED(model_->Run(inputs, outputs));
  for (size_t b = 0; b < batch; ++b) {
    items[b].probability = output_[b];
    std::copy_n(input_.data() + b * width + width - context, context, items[b].state->context.data());
    for (size_t layer = 0; layer < kLayers; ++layer) {
      std::copy_n(state_out_.data() + (layer * batch + b) * kWidth, kWidth,
                  items[b].state->memory.data() + layer * kWidth);
    }
  }
  return base::Ok();
}

}  // namespace trunkline::vad
