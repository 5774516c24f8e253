#include "tts/hibari.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {}  // namespace

Result<std::unique_ptr<Hibari>> Hibari::Load(const onnx::SessionOpener& open,
                                             const onnx::SessionOptions& options) {
  std::unique_ptr<Hibari> hibari(new Hibari());
  TRUNKLINE_ASSIGN_OR_RETURN(hibari->session_, open("hibari/hibari.onnx", options));
  static constexpr const char* kIn[] = {"ids", "speed"};
  static constexpr const char* kOut[] = {"lh", "theta", "ln", "lr", "phi", "f0"};
  TRUNKLINE_RETURN_IF_FAILED(hibari->session_->Require(kIn, kOut));
  return hibari;
}

Result<std::unique_ptr<HibariStream>> Hibari::Read(std::span<const int64_t> tokens,
                                                   const HibariProsody& prosody, uint64_t seed,
                                                   const onnx::RunOptions* run) const {
  if (tokens.empty() || tokens.size() > kHibariMostTokens)
    return Status(Code::kInvalidArgument, "the clause has no phonemes, or too many");
  std::vector<int64_t> ids(tokens.size() + 2, 0);
  std::copy(tokens.begin(), tokens.end(), ids.begin() + 1);
  const std::array<int64_t, 2> shape = {1, static_cast<int64_t>(ids.size())};
  const std::array<int64_t, 1> one = {1};
  const auto& runtime = session_->runtime();
  TRUNKLINE_ASSIGN_OR_RETURN(const auto input, onnx::Tensor::View<const int64_t>(runtime, ids, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto speed,
                             onnx::Tensor::View<const float>(runtime, std::span(&prosody.speed, 1), one));
  auto stream = std::make_unique<HibariStream>();
  onnx::Tensor hertz;
  const onnx::Input inputs[] = {{"ids", &input}, {"speed", &speed}};
  const onnx::Output outputs[] = {{"lh", &stream->harmonic_},    {"theta", &stream->harmonic_phase_},
                                  {"ln", &stream->noise_},       {"lr", &stream->free_},
                                  {"phi", &stream->free_phase_}, {"f0", &hertz}};
  TRUNKLINE_RETURN_IF_FAILED(session_->Run(inputs, outputs, run));
  const auto pitch = hertz.data<float>();
  stream->hertz_.assign(pitch.begin(), pitch.end());
  for (const onnx::Tensor* spectrum : {&stream->harmonic_, &stream->harmonic_phase_, &stream->noise_,
                                       &stream->free_, &stream->free_phase_}) {
    if (pitch.empty() || spectrum->size() != kVocoderBins * pitch.size())
      return Status(Code::kBadModel, "the outputs differ in length");
  }
  for (float& value : stream->hertz_) {
    if (value > kHarmonicVoicedHz)
      value = prosody.pitch * prosody.center_hz * std::pow(value / prosody.center_hz, prosody.range);
  }
  stream->vocoder_ = std::make_unique<HarmonicVocoder>(
      VocoderInput{stream->harmonic_.data<float>(), stream->harmonic_phase_.data<float>(),
                   stream->noise_.data<float>(), stream->free_.data<float>(),
                   stream->free_phase_.data<float>(), stream->hertz_},
      seed);
  return stream;
}

}  // namespace trunkline::tts
