#include "asr/whisper_features.h"

#include <algorithm>
#include <cmath>

#include "asr/window.h"

namespace trunkline::asr {
namespace {

// The RMS to which audio is normalised, and the quietest that is not silence.
constexpr float kHeardAt = 0.05f, kMinAmplitude = 1e-4f;

}  // namespace

WhisperFeatures::WhisperFeatures(std::shared_ptr<const WhisperModel> model)
    : model_(std::move(model)), width_(static_cast<size_t>(model_->settings().width)) {}

base::Result<std::span<const float>> WhisperFeatures::Read(std::span<const float> samples,
                                                           const onnx::RunOptions* stop) {
  if (samples.size() > kMaxSamples) {
    return base::Status(base::Code::kInvalidArgument, "more than two seconds of sound");
  }
  const size_t count = samples.size() / kRowSamples;
  if (count == 0) return std::span<const float>();
  double power = 0;
  for (const float sample : samples) power += static_cast<double>(sample) * sample;
  const auto level = static_cast<float>(std::sqrt(power / static_cast<double>(samples.size())));
  const auto newest = samples.last(count * kRowSamples);
  samples_.assign(newest.begin(), newest.end());
  for (float& sample : samples_) sample *= kHeardAt / std::max(level, kMinAmplitude);

  const auto bands = static_cast<size_t>(model_->settings().bands);
  mel_.resize(bands * 2 * count);
  model_->log_mel().Compute(samples_, 2 * count, mel_);
  for (size_t row = positions_.size(); row < count; ++row) positions_.push_back(static_cast<int64_t>(row));
  log_count_.resize(std::max(log_count_.size(), count), 0.0f);

  const onnx::Runtime& runtime = model_->encoder().runtime();
  const auto rows = static_cast<int64_t>(count);
  const int64_t mel_shape[] = {1, static_cast<int64_t>(bands), 2 * rows}, rows_shape[] = {rows};
  TRUNKLINE_ASSIGN_OR_RETURN(auto mel, onnx::Tensor::View<float>(runtime, mel_, mel_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(
      auto positions, onnx::Tensor::View<int64_t>(runtime, std::span(positions_).first(count), rows_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(
      auto log_count, onnx::Tensor::View<float>(runtime, std::span(log_count_).first(count), rows_shape));
  const onnx::Input inputs[] = {{"mel", &mel}, {"positions", &positions}, {"log_count", &log_count}};
  // The decoder's values are a rotation of the encoder's last layer, which the graph does not output.
  onnx::Tensor values;
  const onnx::Output outputs[] = {{"cross_v_0", &values}};
  TRUNKLINE_RETURN_IF_FAILED(model_->encoder().Run(inputs, outputs, stop));

  // [heads, rows, head width] -> [rows, width]
  const auto heads = static_cast<size_t>(model_->settings().heads);
  const auto head_width = static_cast<size_t>(model_->settings().head_width());
  const auto given = values.data<float>();
  rows_.resize(count * width_);
  for (size_t head = 0; head < heads; ++head) {
    for (size_t row = 0; row < count; ++row) {
      std::copy_n(&given[(head * count + row) * head_width], head_width,
                  &rows_[row * width_ + head * head_width]);
    }
  }
  return std::span<const float>(rows_);
}

}  // namespace trunkline::asr
