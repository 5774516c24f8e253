#include "asr/whisper_decoder.h"

#include <algorithm>

namespace trunkline::asr {

WhisperDecoder::WhisperDecoder(std::shared_ptr<const WhisperModel> model) : model_(std::move(model)) {
  const WhisperSettings& settings = model_->settings();
  for (int64_t layer = 0; layer < settings.layers; ++layer) {
    for (const char* part : {"k", "v"}) {
      const std::string end = "_" + std::to_string(layer), name = part;
      names_.push_back({"self_" + name + end, "self_" + name + "_out" + end, "cross_" + name + end});
    }
  }
  caches_.resize(names_.size());
  for (auto& cache : caches_) cache.assign(kRoom * static_cast<size_t>(settings.width), 0.0f);
  logits_.resize(static_cast<size_t>(settings.vocabulary));
}

base::Status WhisperDecoder::Encode(std::span<const float> samples, const onnx::RunOptions* stop) {
  if (samples.size() > kWindowSamples) {
    return base::Status(base::Code::kInvalidArgument, "a window holds at most 30 s of audio");
  }
  length_ = 0;
  window_ = FoldWindow(samples.size());
  const size_t frames = 2 * window_.rows();
  const auto bands = static_cast<size_t>(model_->settings().bands);
  mel_.resize(bands * frames);
  model_->log_mel().Compute(samples, frames, mel_);

  const onnx::Runtime& runtime = model_->encoder().runtime();
  const int64_t mel_shape[] = {1, static_cast<int64_t>(bands), static_cast<int64_t>(frames)};
  const int64_t rows_shape[] = {static_cast<int64_t>(window_.rows())};
  TRUNKLINE_ASSIGN_OR_RETURN(auto mel, onnx::Tensor::View<float>(runtime, mel_, mel_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto positions,
                             onnx::Tensor::View<int64_t>(runtime, window_.positions, rows_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto count, onnx::Tensor::View<float>(runtime, window_.log_count, rows_shape));
  const onnx::Input inputs[] = {{"mel", &mel}, {"positions", &positions}, {"log_count", &count}};
  cross_.clear();
  cross_.resize(names_.size());
  std::vector<onnx::Output> outputs;
  for (size_t i = 0; i < names_.size(); ++i) outputs.push_back({names_[i].cross.c_str(), &cross_[i]});
  return model_->encoder().Run(inputs, outputs, stop);
}

base::Status WhisperDecoder::AddCaches(std::vector<onnx::Tensor>& tensors) {
  const WhisperSettings& settings = model_->settings();
  const int64_t shape[] = {1, settings.heads, static_cast<int64_t>(kRoom), settings.head_width()};
  for (auto& cache : caches_) {
    TRUNKLINE_ASSIGN_OR_RETURN(auto tensor,
                               onnx::Tensor::View<float>(model_->decoder().runtime(), cache, shape));
    tensors.push_back(std::move(tensor));
  }
  return base::Ok();
}

base::Status WhisperDecoder::Step(std::span<const text::TokenId> tokens) {
  if (tokens.empty() || length_ + tokens.size() > kRoom) {
    return base::Status(base::Code::kInvalidArgument, "the text is longer than a window's");
  }
  const onnx::Runtime& runtime = model_->decoder().runtime();
  const WhisperSettings& settings = model_->settings();
  const size_t count = tokens.size(), rows = window_.rows();
  const auto heads = static_cast<size_t>(settings.alignment_heads);
  std::vector<int64_t> ids(tokens.begin(), tokens.end());
  int32_t total_length = static_cast<int32_t>(length_ + count), last_index = total_length - 1;
  step_attention_.resize(heads * count * rows);

  const int64_t ids_shape[] = {1, static_cast<int64_t>(count)}, one[] = {1};
  const int64_t rows_shape[] = {static_cast<int64_t>(rows)}, logits_shape[] = {1, settings.vocabulary};
  const int64_t align_shape[] = {1, settings.alignment_heads, static_cast<int64_t>(count),
                                 static_cast<int64_t>(rows)};
  TRUNKLINE_ASSIGN_OR_RETURN(auto id, onnx::Tensor::View<int64_t>(runtime, ids, ids_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto last, onnx::Tensor::View<int32_t>(runtime, {&last_index, 1}, one));
  TRUNKLINE_ASSIGN_OR_RETURN(auto total, onnx::Tensor::View<int32_t>(runtime, {&total_length, 1}, one));
  TRUNKLINE_ASSIGN_OR_RETURN(auto folds, onnx::Tensor::View<float>(runtime, window_.log_count, rows_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto logits, onnx::Tensor::View<float>(runtime, logits_, logits_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto align, onnx::Tensor::View<float>(runtime, step_attention_, align_shape));
  std::vector<onnx::Tensor> caches;
  TRUNKLINE_RETURN_IF_FAILED(AddCaches(caches));

  std::vector<onnx::Input> inputs = {
      {"tokens", &id}, {"last", &last}, {"total", &total}, {"log_count", &folds}};
  std::vector<onnx::Output> outputs = {{"logits", &logits}, {"align", &align}};
  for (size_t i = 0; i < names_.size(); ++i) {
    // The same memory in and out: the graph writes the new rows in place.
    inputs.push_back({names_[i].self_in.c_str(), &caches[i]});
    inputs.push_back({names_[i].cross.c_str(), &cross_[i]});
    outputs.push_back({names_[i].self_out.c_str(), &caches[i]});
  }
  TRUNKLINE_RETURN_IF_FAILED(model_->decoder().Run(inputs, outputs));

  const size_t stride = heads * rows;
  attention_.resize((length_ + count) * stride);
  for (size_t head = 0; head < heads; ++head) {
    for (size_t t = 0; t < count; ++t) {
      std::copy_n(step_attention_.data() + (head * count + t) * rows, rows,
                  attention_.data() + (length_ + t) * stride + head * rows);
    }
  }
  length_ += count;
  return base::Ok();
}

void WhisperDecoder::Rewind(size_t count) {
  length_ = std::min(length_, count);
}

std::span<const float> WhisperDecoder::attention(size_t token) const {
  const size_t stride = static_cast<size_t>(model_->settings().alignment_heads) * window_.rows();
  return {attention_.data() + token * stride, stride};
}

}  // namespace trunkline::asr
