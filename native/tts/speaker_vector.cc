#include "tts/speaker_vector.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trunkline::tts {

using base::Result;

namespace {

constexpr size_t kFrames = 80, kStride = 40, kWidth = 256;

void Normalise(std::span<float> vector) {
  double sum = 0;
  for (const float n : vector) sum += static_cast<double>(n) * n;
  const auto length = static_cast<float>(std::sqrt(std::max(sum, 1e-12)));
  for (float& n : vector) n /= length;
}

}  // namespace

float Cosine(std::span<const float> a, std::span<const float> b) {
  double dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    dot += static_cast<double>(a[i]) * b[i];
    aa += static_cast<double>(a[i]) * a[i];
    bb += static_cast<double>(b[i]) * b[i];
  }
  return static_cast<float>(dot / std::sqrt(std::max(aa * bb, 1e-12)));
}

Result<std::unique_ptr<SpeakerVector>> SpeakerVector::Load(const std::shared_ptr<onnx::Runtime>& runtime,
                                                           const std::string& model,
                                                           const onnx::SessionOptions& options) {
  std::unique_ptr<SpeakerVector> vector(new SpeakerVector());
  TRUNKLINE_ASSIGN_OR_RETURN(vector->session_, onnx::Session::Open(runtime, model, options));
  static constexpr const char* kIn[] = {"mel_window"};
  static constexpr const char* kOut[] = {"embedding"};
  TRUNKLINE_RETURN_IF_FAILED(vector->session_->Require(kIn, kOut));
  return vector;
}

Result<std::vector<float>> SpeakerVector::Of(std::span<const float> samples,
                                             const onnx::RunOptions* run) const {
  std::vector<float> mel = mel_.Power(samples);
  for (float& power : mel) power = std::log10(power + 1e-10F);
  mel.resize(std::max(mel.size(), kFrames * kMelBands), 0.0F);
  const size_t frames = mel.size() / kMelBands;
  std::vector<float> mean(kWidth, 0.0F);
  const std::array<int64_t, 3> shape = {1, kFrames, kMelBands};
  for (size_t at = 0; at + kFrames <= frames; at += kStride) {
    const auto window = std::span<const float>(mel).subspan(at * kMelBands, kFrames * kMelBands);
    TRUNKLINE_ASSIGN_OR_RETURN(const auto input,
                               onnx::Tensor::View<const float>(session_->runtime(), window, shape));
    onnx::Tensor embedding;
    const onnx::Input inputs[] = {{"mel_window", &input}};
    const onnx::Output outputs[] = {{"embedding", &embedding}};
    TRUNKLINE_RETURN_IF_FAILED(session_->Run(inputs, outputs, run));
    const auto numbers = embedding.data<float>();
    if (numbers.size() != kWidth)
      return base::Status(base::Code::kBadModel, "a speaker's vector of another size");
    std::vector<float> one(numbers.begin(), numbers.end());
    Normalise(one);
    for (size_t i = 0; i < kWidth; ++i) mean[i] += one[i];
  }
  Normalise(mean);
  return mean;
}

}  // namespace trunkline::tts
