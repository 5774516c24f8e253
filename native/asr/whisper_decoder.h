// One window in work: what the encoder made of it and the decoder's caches. About 10 MB with a short window,
// 45 MB with a full one, and 6 MB for each further text that is followed at once; kept and used again by
// whoever owns it. Belongs to one task at a time, on the inference pool.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "asr/whisper_model.h"
#include "asr/window.h"
#include "base/status.h"
#include "onnx/onnx.h"

namespace trunkline::asr {

class WhisperDecoder {
 public:
  // Tokens of text that a window may hold, as the model was trained.
  static constexpr size_t kMostText = 224;

  explicit WhisperDecoder(std::shared_ptr<const WhisperModel> model);

  // Reads a window of at most 30 s; the text starts anew.
  base::Status Encode(std::span<const float> samples, const onnx::RunOptions* stop = nullptr);
  // From the next token on, the decoder attends to these rows of the window alone.
  void AttendTo(size_t first_row, size_t end_row);
  // Appends tokens to the first text; the others are dropped. Afterwards logits() says what may come next.
  base::Status Step(std::span<const text::TokenId> tokens);
  // Follows several texts at once: text i goes on from what text parents[i] was, with tokens[i]. Some child
  // of each parent whose place there still is must be in that place (TextSearch sees to it).
  base::Status Step(std::span<const text::TokenId> tokens, std::span<const size_t> parents);
  // Forgets all but the first `count` tokens; the first text alone is left.
  void Rewind(size_t count);

  const WhisperModel& model() const { return *model_; }
  size_t length() const { return length_; }
  // Of each text one after another.
  std::span<float> logits() { return std::span(logits_).first(texts_ * VocabularySize()); }
  const Window& window() const { return window_; }
  // Where the decoder looked while it chose what follows token number `token`: [alignment heads, rows()].
  // Known of tokens that were appended while there was one text.
  std::span<const float> attention(size_t token) const;
  // Whether attention() knows of `tokens`, which come after `before` others.
  bool Attended(std::span<const text::TokenId> tokens, size_t before) const;

 private:
  static constexpr size_t kPrompt = 8;
  static constexpr size_t kRoom = kMostText + kPrompt;

  struct Names {
    std::string self_in, self_out, cross;
  };

  size_t VocabularySize() const { return static_cast<size_t>(model_->settings().vocabulary); }
  // Appends `tokens`, as many to each of the texts.
  base::Status Run(std::span<const text::TokenId> tokens, size_t texts);
  base::Status AddCaches(std::vector<onnx::Tensor>& tensors, size_t texts);
  void CopyText(size_t from, size_t to);
  void KeepAttention(size_t count);

  std::shared_ptr<const WhisperModel> model_;
  std::vector<Names> names_;
  std::vector<float> mel_;
  Window window_;
  std::vector<onnx::Tensor> cross_;
  std::vector<std::vector<float>> caches_;  // [texts, heads, kRoom, head width] each
  // The tokens whose rows each text's caches hold; what lies after length_ is left from before.
  std::vector<std::vector<text::TokenId>> written_;
  size_t texts_ = 1;
  std::vector<float> logits_;
  std::vector<float> step_attention_;
  std::vector<float> attention_;
  size_t attended_ = 0;  // tokens of the first text whose attention is known
  size_t length_ = 0;
};

}  // namespace trunkline::asr
