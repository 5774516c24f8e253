// One window in work: what the encoder made of it and the decoder's caches. About 10 MB with a short window,
// 45 MB with a full one; kept and used again by whoever owns it. Belongs to one task at a time, on the
// inference pool.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "asr/whisper_model.h"
#include "asr/window.h"
#include "base/status.h"
#include "onnx/session.h"

namespace trunkline::asr {

class WhisperDecoder {
 public:
  // Tokens of text that a window may hold, as the model was trained.
  static constexpr size_t kMostText = 224;

  explicit WhisperDecoder(std::shared_ptr<const WhisperModel> model);

  // Reads a window of at most 30 s; the text starts anew.
  base::Status Encode(std::span<const float> samples, const onnx::RunOptions* stop = nullptr);
  // Appends tokens; afterwards logits() says what may come next.
  base::Status Step(std::span<const text::TokenId> tokens);
  // Forgets all but the first `count` tokens.
  void Rewind(size_t count);

  const WhisperModel& model() const { return *model_; }
  size_t length() const { return length_; }
  bool full() const { return length_ >= kRoom; }
  std::span<float> logits() { return logits_; }
  const Window& window() const { return window_; }
  // Where the decoder looked while it chose what follows token number `token`: [alignment heads, rows()].
  std::span<const float> attention(size_t token) const;

 private:
  static constexpr size_t kPrompt = 8;
  static constexpr size_t kRoom = kMostText + kPrompt;

  struct Names {
    std::string self_in, self_out, cross;
  };

  base::Status AddCaches(std::vector<onnx::Tensor>& tensors);

  std::shared_ptr<const WhisperModel> model_;
  std::vector<Names> names_;
  std::vector<float> mel_;
  Window window_;
  std::vector<onnx::Tensor> cross_;
  std::vector<std::vector<float>> caches_;
  std::vector<float> logits_;
  std::vector<float> step_attention_;
  std::vector<float> attention_;
  size_t length_ = 0;
};

}  // namespace trunkline::asr
