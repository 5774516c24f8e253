#include "tts/speaker_vector.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

namespace trunkline::tts {

using base::Result;

namespace {

constexpr size_t kFft = 512, kWindow = 400, kHop = 160, kBins = kFft / 2 + 1, kBands = 40;
constexpr size_t kFrames = 80, kStride = 40, kWidth = 256;

// Slaney's scale: linear to 1 kHz, logarithmic above.
double ToMel(double hertz) {
  return hertz < 1000 ? hertz * 3 / 200 : 15 + 27 * std::log(hertz / 1000) / std::log(6.4);
}
double ToHertz(double mel) {
  return mel < 15 ? mel * 200 / 3 : 1000 * std::exp((mel - 15) * std::log(6.4) / 27);
}

std::vector<float> MakeBands() {
  std::vector<float> bands(kBands * kBins, 0.0F);
  std::array<double, kBands + 2> edges{};
  for (size_t i = 0; i < edges.size(); ++i) {
    edges[i] = ToHertz(ToMel(kSpeakerRate / 2.0) * static_cast<double>(i) / (kBands + 1));
  }
  for (size_t band = 0; band < kBands; ++band) {
    const double area = 2 / (edges[band + 2] - edges[band]);
    for (size_t bin = 0; bin < kBins; ++bin) {
      const double hertz = static_cast<double>(bin) * kSpeakerRate / kFft;
      const double rise = (hertz - edges[band]) / (edges[band + 1] - edges[band]);
      const double fall = (edges[band + 2] - hertz) / (edges[band + 2] - edges[band + 1]);
      bands[band * kBins + bin] = static_cast<float>(area * std::max(0.0, std::min(rise, fall)));
    }
  }
  return bands;
}

// In place, 512 points.
void Transform(std::array<std::complex<float>, kFft>& x) {
  for (size_t i = 1, j = 0; i < kFft; ++i) {
    size_t bit = kFft >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (size_t length = 2; length <= kFft; length <<= 1) {
    const auto angle = -2 * std::numbers::pi_v<float> / static_cast<float>(length);
    for (size_t k = 0; k < length / 2; ++k) {
      const std::complex<float> turn = std::polar(1.0F, angle * static_cast<float>(k));
      for (size_t i = k; i < kFft; i += length) {
        const std::complex<float> odd = x[i + length / 2] * turn;
        x[i + length / 2] = x[i] - odd;
        x[i] += odd;
      }
    }
  }
}

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

SpeakerVector::SpeakerVector() : window_(kFft, 0.0F), bands_(MakeBands()) {
  for (size_t i = 0; i < kWindow; ++i) {
    window_[(kFft - kWindow) / 2 + i] =
        static_cast<float>(0.54 - 0.46 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / kWindow));
  }
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

std::vector<float> SpeakerVector::LogMel(std::span<const float> samples) const {
  const size_t frames = samples.size() < kFft ? 0 : 1 + (samples.size() - kFft) / kHop;
  std::vector<float> mel(std::max(frames, kFrames) * kBands, 0.0F);
  std::array<std::complex<float>, kFft> x;
  std::array<float, kBins> power{};
  for (size_t frame = 0; frame < frames; ++frame) {
    for (size_t i = 0; i < kFft; ++i) x[i] = samples[frame * kHop + i] * window_[i];
    Transform(x);
    for (size_t bin = 0; bin < kBins; ++bin) power[bin] = std::norm(x[bin]);
    for (size_t band = 0; band < kBands; ++band) {
      float sum = 0;
      for (size_t bin = 0; bin < kBins; ++bin) sum += power[bin] * bands_[band * kBins + bin];
      mel[frame * kBands + band] = std::log10(sum + 1e-10F);
    }
  }
  return mel;
}

Result<std::vector<float>> SpeakerVector::Of(std::span<const float> samples,
                                             const onnx::RunOptions* run) const {
  const std::vector<float> mel = LogMel(samples);
  const size_t frames = mel.size() / kBands;
  std::vector<float> mean(kWidth, 0.0F);
  const std::array<int64_t, 3> shape = {1, kFrames, kBands};
  for (size_t at = 0; at + kFrames <= frames; at += kStride) {
    const auto window = std::span<const float>(mel).subspan(at * kBands, kFrames * kBands);
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
