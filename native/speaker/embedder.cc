#include "speaker/embedder.h"

#include <algorithm>
#include <cmath>

namespace trunkline::speaker {

using base::Result;
using base::Status;

namespace {

constexpr size_t kValues = kWindowRows * kMelBands;
constexpr const char* kEmbedderIn[] = {"mel_window"};
constexpr const char* kEmbedderOut[] = {"embedding"};

void Normalise(std::span<float> vector) {
  double sum = 0;
  for (const float n : vector) sum += static_cast<double>(n) * n;
  const auto length = static_cast<float>(std::sqrt(std::max(sum, 1e-12)));
  for (float& n : vector) n /= length;
}

}  // namespace

Result<std::unique_ptr<Embedder>> Embedder::Open(const onnx::SessionOpener& open) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto session, open("speaker-vector/embedder.onnx", {}));
  TRUNKLINE_RETURN_IF_FAILED(session->Require(kEmbedderIn, kEmbedderOut));
  std::unique_ptr<Embedder> embedder(new Embedder());
  embedder->session_ = std::move(session);
  return embedder;
}

void Embedder::Fill(std::vector<float>& features) {
  features.resize(std::max(features.size(), kValues), 0.0F);
}

size_t Embedder::WindowsIn(std::span<const float> features) {
  return 1 + (features.size() / kMelBands - kWindowRows) / kWindowStride;
}

Status Embedder::Read(std::span<const float> features, size_t first, size_t count,
                      const onnx::RunOptions* run, std::vector<float>& vectors) const {
  std::vector<float> batch(count * kValues);
  for (size_t w = 0; w < count; ++w) {
    const auto window = features.subspan((first + w) * kWindowStride * kMelBands, kValues);
    std::copy(window.begin(), window.end(), batch.begin() + static_cast<ptrdiff_t>(w * kValues));
  }
  const int64_t shape[] = {static_cast<int64_t>(count), kWindowRows, kMelBands};
  TRUNKLINE_ASSIGN_OR_RETURN(auto input, onnx::Tensor::View<float>(session_->runtime(), batch, shape));
  const size_t filled = vectors.size();
  vectors.resize(filled + count * kVectorSize);
  const int64_t out_shape[] = {static_cast<int64_t>(count), kVectorSize};
  const auto free = std::span<float>(vectors).subspan(filled);
  TRUNKLINE_ASSIGN_OR_RETURN(auto output, onnx::Tensor::View<float>(session_->runtime(), free, out_shape));
  const onnx::Input inputs[] = {{kEmbedderIn[0], &input}};
  const onnx::Output outputs[] = {{kEmbedderOut[0], &output}};
  TRUNKLINE_RETURN_IF_FAILED(session_->Run(inputs, outputs, run));
  for (size_t w = 0; w < count; ++w) Normalise(free.subspan(w * kVectorSize, kVectorSize));
  return base::Ok();
}

Result<std::vector<float>> Embedder::Of(std::span<const float> samples, const onnx::RunOptions* run) const {
  std::vector<float> features = Features(samples);
  Fill(features);
  std::vector<float> vectors;
  // Windows run one at a time, because the int8 graph scales its activations over the whole batch.
  for (size_t window = 0; window < WindowsIn(features); ++window) {
    TRUNKLINE_RETURN_IF_FAILED(Read(features, window, 1, run, vectors));
  }
  return MeanOf(vectors);
}

std::vector<float> MeanOf(std::span<const float> vectors) {
  std::vector<float> mean(kVectorSize, 0.0F);
  for (size_t i = 0; i < vectors.size(); ++i) mean[i % kVectorSize] += vectors[i];
  Normalise(mean);
  return mean;
}

float Cosine(std::span<const float> a, std::span<const float> b) {
  double dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    dot += static_cast<double>(a[i]) * b[i];
    aa += static_cast<double>(a[i]) * a[i];
    bb += static_cast<double>(b[i]) * b[i];
  }
  return static_cast<float>(dot / std::sqrt(std::max(aa * bb, 1e-12)));
}

}  // namespace trunkline::speaker
