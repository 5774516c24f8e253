#include "speaker/campplus.h"

#include <algorithm>
#include <cmath>

#include "speaker/fbank.h"

namespace trunkline::speaker {
namespace {

constexpr const char* kCamPlusIn[] = {"features"};
constexpr const char* kCamPlusOut[] = {"embedding"};

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

base::Result<std::unique_ptr<Campplus>> Campplus::Create(std::unique_ptr<onnx::Session> session) {
  TRUNKLINE_RETURN_IF_FAILED(session->Require(kCamPlusIn, kCamPlusOut));
  std::unique_ptr<Campplus> model(new Campplus());
  model->session_ = std::move(session);
  return model;
}

base::Result<std::vector<float>> Campplus::Of(std::vector<float> features,
                                              const onnx::RunOptions* run) const {
  const size_t rows = features.size() / Fbank::kBands;
  if (rows < kMinRows) return base::Status(base::Code::kInvalidArgument, "the piece of speech is too short");
  SubtractMean(features);
  const int64_t shape[] = {1, static_cast<int64_t>(rows), Fbank::kBands};
  TRUNKLINE_ASSIGN_OR_RETURN(auto input, onnx::Tensor::View<float>(session_->runtime(), features, shape));
  std::vector<float> vector(kSize);
  const int64_t out_shape[] = {1, kSize};
  TRUNKLINE_ASSIGN_OR_RETURN(auto output, onnx::Tensor::View<float>(session_->runtime(), vector, out_shape));
  const onnx::Input inputs[] = {{kCamPlusIn[0], &input}};
  const onnx::Output outputs[] = {{kCamPlusOut[0], &output}};
  TRUNKLINE_RETURN_IF_FAILED(session_->Run(inputs, outputs, run));
  double sum = 0;
  for (const float x : vector) sum += static_cast<double>(x) * x;
  const auto length = static_cast<float>(std::sqrt(std::max(sum, 1e-12)));
  for (float& x : vector) x /= length;
  return vector;
}

}  // namespace trunkline::speaker
