// Moonshine: fast English for partials. There is no state between passes: each pass encodes the growing utterance again, and
// takes its stable words as given instead of decoding them. With a RecognizerDevice, a pass runs on the GPU, in batches with
// those of other calls.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "asr/recognizer_device.h"
#include "asr/window.h"
#include "base/status.h"
#include "onnx/onnx.h"
#include "text/tokens/tokens.h"

namespace trunkline::asr {

// The sizes that the graphs state.
struct MoonshineShape {
  int64_t layers = 0, heads = 0, head_width = 0, width = 0, vocabulary = 0;
};

// Immutable; shared by all threads.
class MoonshineModel {
 public:
  // The stock model: `open` takes the manifest's names. The folder holds tokenizer.bin.
  static base::Result<std::shared_ptr<const MoonshineModel>> Open(const onnx::SessionOpener& open,
                                                                  const std::string& folder);
  // A model that the operator added, of any size: the folder holds its graphs, tokenizer.bin and moonshine.conf, as
  // models/recipes/moonshine/added.py writes them. kBadModel where they are not of one Moonshine.
  static base::Result<std::shared_ptr<const MoonshineModel>> OpenFolder(
      const std::shared_ptr<onnx::Runtime>& runtime, const std::string& folder);

  const onnx::Session& encoder() const { return *encoder_; }
  const onnx::Session& decoder() const { return *decoder_; }
  const text::PieceTokens& tokens() const { return tokens_; }
  const MoonshineShape& shape() const { return shape_; }
  // The tokens before a text and behind it.
  int32_t begin() const { return begin_; }
  int32_t end() const { return end_; }
  // Exports differ in whether the graphs take the mask of the samples.
  bool encoder_takes_mask() const { return encoder_->input(kEncoderMask) != nullptr; }
  bool decoder_takes_mask() const { return decoder_->input(kDecoderMask) != nullptr; }
  // The shape of its forms for a GPU.
  RecognizerShape device_shape() const;

  static constexpr const char* kEncoderMask = "attention_mask";
  static constexpr const char* kDecoderMask = "encoder_attention_mask";

 private:
  MoonshineModel() = default;
  // `form` is the extension of the graphs' names, by which the runtime tells its own format.
  base::Status OpenGraphs(const onnx::SessionOpener& open, const std::string& stem, const std::string& form,
                          const std::string& folder);
  base::Status CheckEncoder();
  base::Status CheckDecoder();
  base::Status CheckCaches();

  std::unique_ptr<onnx::Session> encoder_;
  std::unique_ptr<onnx::Session> decoder_;
  text::PieceTokens tokens_;
  MoonshineShape shape_;
  int32_t begin_ = 1, end_ = 2;
};

// One pass, in steps. Belongs to one task at a time.
class MoonshinePass {
 public:
  // Shorter audio gives the decoder no rows.
  static constexpr size_t kMinSamples = 4000;

  explicit MoonshinePass(std::shared_ptr<const MoonshineModel> model,
                         std::shared_ptr<RecognizerDevice> device = nullptr);
  ~MoonshinePass() { Release(); }
  MoonshinePass(const MoonshinePass&) = delete;
  MoonshinePass& operator=(const MoonshinePass&) = delete;

  // Only the first step reads `samples` (16 kHz), or on a GPU, all of them. `stable` are the tokens that the text begins with.
  void Begin(std::span<const float> samples, std::span<const int32_t> stable);
  // The probability of the chosen token, and that of all watched tokens together.
  struct Likelihood {
    float written = 0;
    float watched = 0;
  };
  // Records likelihoods from here on; `tokens` flags the watched tokens of the model. Null: nothing is
  // recorded.
  void Watch(const std::vector<uint8_t>* tokens) { watched_ = tokens; }
  const std::vector<Likelihood>& likelihood() const { return likelihood_; }
  // Returns true when the text is complete. A step decodes at most `most` tokens. On a GPU, it chooses the next run there;
  // what the GPU refuses or fails to do is done on the processor, with the tokens that are written.
  static constexpr size_t kTokensPerStep = 6;
  base::Result<bool> Step(const onnx::RunOptions* stop = nullptr, size_t most = kTokensPerStep);
  // Returns whether a run on the GPU was chosen and its result is not taken.
  bool pending() const { return pending_; }
  // Starts what is pending. `done` is called once, on any thread; until then nothing else may be called. A step whose run
  // was not submitted waits for it.
  void Submit(std::function<void()> done);
  // Gives back the pass's place on the GPU, as the end of a pass and the next Begin do. Nothing may be in flight.
  void Release();
  // The encoder's output on the processor, row by row; empty before the first step.
  std::span<const float> heard() const { return hidden_ ? hidden_.data<float>() : std::span<const float>(); }
  const std::vector<int32_t>& tokens() const { return written_; }
  const MoonshineModel& model() const { return *model_; }

 private:
  struct Cache {
    std::string in, out;
    bool of_encoder = false;
    onnx::Tensor value;
  };

  base::Status Read(const onnx::RunOptions* stop);
  base::Status Decode(std::span<const int64_t> ids, bool first);
  bool Choose(std::span<const float> logits);
  base::Result<bool> StepThere();
  // Chooses the encoding, or the step of the tokens that the GPU does not have.
  void ChooseRun();

  std::shared_ptr<const MoonshineModel> model_;
  std::shared_ptr<RecognizerDevice> device_;
  DeviceWindow place_;
  Window window_;
  std::vector<std::vector<text::TokenId>> texts_;  // the one text, with its begin
  bool on_device_ = false;
  bool pending_ = false;
  bool submitted_ = false;
  std::vector<Cache> caches_;
  std::span<const float> samples_;
  std::vector<float> audio_;
  std::vector<int64_t> mask_;
  std::vector<int32_t> written_;
  const std::vector<uint8_t>* watched_ = nullptr;
  std::vector<Likelihood> likelihood_;
  onnx::Tensor hidden_;
  onnx::Tensor logits_;
  size_t most_ = 0;
  double seconds_ = 0;
  bool read_ = false;
  bool done_ = true;
};

}  // namespace trunkline::asr
