// The decoder's state for one window: the encoder's output and the KV and cross-attention caches. About 10 MB
// with a short window, 45 MB with a full one, and 6 MB for each further beam; the owner reuses it. Belongs to
// one task at a time, on the inference pool.
//
// With a RecognizerDevice, a window whose encoding is submitted is on the GPU, and the caches with it. Begin… then only
// notes what is to be done; Submit() starts it together with the work of other calls, and Collect() takes the result.
// Work that the GPU does not do (it failed, or has no capacity) is repeated on the processor: the window is encoded
// again, and its texts are read again as prompts. A window whose encoding is collected without Submit() stays on the
// processor: a thread of the pool that waits for a place on the GPU could keep those that have one from going on.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "asr/recognizer_device.h"
#include "asr/whisper_model.h"
#include "asr/window.h"
#include "base/status.h"
#include "onnx/onnx.h"

namespace trunkline::asr {

class WhisperDecoder {
 public:
  // The most tokens of a window, as in training.
  static constexpr size_t kMaxText = 224;

  explicit WhisperDecoder(std::shared_ptr<const WhisperModel> model,
                          std::shared_ptr<RecognizerDevice> device = nullptr);
  ~WhisperDecoder() { Release(); }
  WhisperDecoder(const WhisperDecoder&) = delete;
  WhisperDecoder& operator=(const WhisperDecoder&) = delete;

  // Encodes a window of at most 30 s and resets the text.
  base::Status Encode(std::span<const float> samples, const onnx::RunOptions* stop = nullptr);
  base::Status BeginEncode(std::span<const float> samples, const onnx::RunOptions* stop = nullptr);
  // From the next token on, the decoder attends only to these rows of the window.
  void AttendTo(size_t first_row, size_t end_row);
  // Appends tokens to the first text; the others are dropped. Afterwards logits() holds the next token's.
  base::Status Step(std::span<const text::TokenId> tokens);
  base::Status BeginStep(std::span<const text::TokenId> tokens);
  // Advances several texts at once: text i continues the former text parents[i] with tokens[i]. Some child of
  // each parent whose place still exists must be in that place (TextSearch ensures it).
  base::Status Step(std::span<const text::TokenId> tokens, std::span<const size_t> parents);
  base::Status BeginStep(std::span<const text::TokenId> tokens, std::span<const size_t> parents);

  // Returns whether something was begun and not collected.
  bool pending() const { return on_device_ && (encodes_ || read_ < length_); }
  void SetUrgency(onnx::DeviceWork::Urgency urgency) { urgency_ = urgency; }
  // Starts what is pending. `done` is called once, on any thread; until then nothing else may be called.
  void Submit(std::function<void()> done);
  // Takes the result of what was submitted and is done. A step that was not submitted is done before it returns.
  base::Status Collect();
  // Gives up the window and its place on the GPU.
  void Release();
  // Drops all but the first `count` tokens and all texts but the first.
  void Rewind(size_t count);

  const WhisperModel& model() const { return *model_; }
  size_t length() const { return length_; }
  // Holds the rows of all texts, one after another.
  std::span<float> logits() { return std::span(logits_).first(texts_ * VocabularySize()); }
  const Window& window() const { return window_; }
  // The cross attention while the token after number `token` was chosen: [alignment heads, rows()]. Known
  // for tokens that were appended while there was one text.
  std::span<const float> attention(size_t token) const;
  // Returns whether attention() is known for `tokens`, which come after `before` others.
  bool Attended(std::span<const text::TokenId> tokens, size_t before) const;

 private:
  static constexpr size_t kPrompt = 8;
  static constexpr size_t kTextCapacity = kMaxText + kPrompt;

  struct Names {
    std::string self_in, self_out, cross;
  };

  base::Status EncodeHere(const onnx::RunOptions* stop);
  base::Status Restore();
  base::Status CheckLength(size_t count) const;
  base::Status CheckParents(std::span<const text::TokenId> tokens, std::span<const size_t> parents) const;
  size_t VocabularySize() const { return static_cast<size_t>(model_->settings().vocabulary); }
  // Appends `tokens`, equally many to each of the texts.
  base::Status Run(std::span<const text::TokenId> tokens, size_t texts);
  base::Status AddCaches(std::vector<onnx::Tensor>& tensors, size_t texts);
  void CopyText(size_t from, size_t to);
  void KeepAttention(size_t count);

  std::shared_ptr<const WhisperModel> model_;
  std::vector<Names> names_;
  std::vector<float> mel_;
  Window window_;
  std::vector<onnx::Tensor> cross_;
  std::vector<std::vector<float>> caches_;  // [texts, heads, kTextCapacity, head width] each
  // The tokens whose rows each text's caches hold; rows beyond length_ are stale.
  std::vector<std::vector<text::TokenId>> written_;
  size_t texts_ = 1;
  std::vector<float> logits_;
  std::vector<float> step_attention_;
  std::vector<float> attention_;
  size_t attended_ = 0;  // tokens of the first text whose attention is known
  size_t length_ = 0;

  std::shared_ptr<RecognizerDevice> device_;
  DeviceWindow place_;
  onnx::DeviceWork::Urgency urgency_;
  bool on_device_ = false;  // the window is there, or will be
  bool encodes_ = false;    // its encoding is pending
  bool submitted_ = false;
  size_t read_ = 0;  // tokens of the texts that are on the device; those up to length_ are pending
};

}  // namespace trunkline::asr
