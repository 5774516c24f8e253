#include "speaker/speaker_encoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trunkline::speaker {
namespace {

constexpr const char* kInputs[] = {"features"};
constexpr const char* kOutputs[] = {"embedding"};

void SubtractMean(std::span<float> features) {
  const size_t rows = features.size() / Fbank::kBands;
  for (size_t band = 0; band < Fbank::kBands; ++band) {
    double sum = 0;
    for (size_t row = 0; row < rows; ++row) sum += features[row * Fbank::kBands + band];
    const auto mean = static_cast<float>(sum / static_cast<double>(rows));
    for (size_t row = 0; row < rows; ++row) features[row * Fbank::kBands + band] -= mean;
  }
}

}  // namespace

base::Result<std::unique_ptr<SpeakerEncoder>> SpeakerEncoder::Create(std::unique_ptr<onnx::Session> session,
                                                                     FbankWindow window) {
  TRUNKLINE_RETURN_IF_FAILED(session->Require(kInputs, kOutputs));
  const onnx::TensorInfo& made = *session->output(kOutputs[0]);
  const int64_t numbers = made.shape.size() == 2 ? made.shape[1] : -1;
  if (made.type != onnx::ElementType::kFloat || numbers < 1 || numbers > static_cast<int64_t>(kMaxSize)) {
    return base::Status(base::Code::kBadModel, "the embedding is not one vector of float32 of a stated size");
  }
  std::unique_ptr<SpeakerEncoder> encoder(new SpeakerEncoder());
  encoder->session_ = std::move(session);
  encoder->size_ = static_cast<size_t>(numbers);
  encoder->window_ = window;
  return encoder;
}

base::Result<std::vector<float>> SpeakerEncoder::Of(std::vector<float> features,
                                                    const onnx::RunOptions* run) const {
  const size_t rows = features.size() / Fbank::kBands;
  if (rows < kMinRows) return base::Status(base::Code::kInvalidArgument, "the piece of speech is too short");
  SubtractMean(features);
  const int64_t shape[] = {1, static_cast<int64_t>(rows), Fbank::kBands};
  TRUNKLINE_ASSIGN_OR_RETURN(auto input, onnx::Tensor::View<float>(session_->runtime(), features, shape));
  std::vector<float> vector(size_);
  const int64_t out_shape[] = {1, static_cast<int64_t>(size_)};
  TRUNKLINE_ASSIGN_OR_RETURN(auto output, onnx::Tensor::View<float>(session_->runtime(), vector, out_shape));
  const onnx::Input inputs[] = {{kInputs[0], &input}};
  const onnx::Output outputs[] = {{kOutputs[0], &output}};
  TRUNKLINE_RETURN_IF_FAILED(session_->Run(inputs, outputs, run));
  double sum = 0;
  for (const float x : vector) sum += static_cast<double>(x) * x;
  if (!std::isfinite(sum)) {
    return base::Status(base::Code::kBadModel, "the vector has values that are not finite numbers");
  }
  const auto length = static_cast<float>(std::sqrt(std::max(sum, 1e-12)));
  for (float& x : vector) x /= length;
  return vector;
}

}  // namespace trunkline::speaker
