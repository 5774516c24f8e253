#include "lanes/embed/embed.h"

#include <cmath>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "text/tokens/tokens.h"

namespace trunkline::embed {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr char kModel[] = "minilm-l6/model.onnx";
constexpr char kVocabulary[] = "minilm-l6/vocab.txt";
constexpr size_t kSize = 384;
// The model's training length; a longer text is truncated.
constexpr size_t kMostTokens = 128;
constexpr size_t kMostTexts = 256;
constexpr size_t kMostBytes = 64 * 1024;
// Each takes some 5 ms, so a step stays short.
constexpr size_t kTextsPerStep = 4;
constexpr int64_t kLiveStepDeadline = 100 * base::kNanosPerMilli;
// The same deadline as other offline work, so that no job passes the others step after step.
constexpr int64_t kStepDeadline = 10'000 * base::kNanosPerMilli;

struct EmbedModel {
  text::WordPieces pieces;
  std::unique_ptr<onnx::Session> session;
};

// The mean of the tokens' vectors, normalised to unit length.
void Pool(std::span<const float> hidden, size_t tokens, std::span<float> out) {
  for (size_t t = 0; t < tokens; ++t) {
    for (size_t i = 0; i < kSize; ++i) out[i] += hidden[t * kSize + i];
  }
  double sum = 0;
  for (const float x : out) sum += static_cast<double>(x) * x;
  const auto scale = static_cast<float>(1.0 / (std::sqrt(sum) + 1e-12));
  for (float& x : out) x *= scale;
}

class EmbedJob final : public engine::Job {
 public:
  EmbedJob(std::shared_ptr<const EmbedModel> model, std::vector<std::string> texts, bool live)
      : model_(std::move(model)), texts_(std::move(texts)), live_(live), vectors_(texts_.size() * kSize) {}

  engine::Task::Step Step(engine::JobIo& io) override {
    io.Schedule(live_ ? engine::Priority::kFirstAudio : engine::Priority::kOffline,
                io.now() + (live_ ? kLiveStepDeadline : kStepDeadline));
    for (size_t n = 0; n < kTextsPerStep && next_ < texts_.size(); ++n, ++next_) {
      const Status status = Embed(texts_[next_], next_, io.run_options());
      if (!status.ok()) return io.End(status);
    }
    if (next_ < texts_.size()) return engine::Task::Step::kAgain;
    const auto bytes = base::AsBytes(std::span<const float>(vectors_));
    io.Emit(engine::Chunk(bytes.begin(), bytes.end()));
    return io.End(base::Ok());
  }

 private:
  // Texts run one at a time: the int8 graph scales its activations over the whole batch, so neighbours would
  // change a vector.
  Status Embed(const std::string& text, size_t index, const onnx::RunOptions* stop) {
    std::vector<int64_t> ids = model_->pieces.Encode(text, kMostTokens);
    if (ids.size() <= 2) return base::Ok();
    std::vector<int64_t> mask(ids.size(), 1), types(ids.size(), 0);
    const int64_t shape[] = {1, static_cast<int64_t>(ids.size())};
    const int64_t out_shape[] = {1, shape[1], kSize};
    hidden_.resize(ids.size() * kSize);
    const onnx::Runtime& runtime = model_->session->runtime();
    TRUNKLINE_ASSIGN_OR_RETURN(auto ids_in, onnx::Tensor::View<int64_t>(runtime, ids, shape));
    TRUNKLINE_ASSIGN_OR_RETURN(auto mask_in, onnx::Tensor::View<int64_t>(runtime, mask, shape));
    TRUNKLINE_ASSIGN_OR_RETURN(auto types_in, onnx::Tensor::View<int64_t>(runtime, types, shape));
    TRUNKLINE_ASSIGN_OR_RETURN(auto hidden, onnx::Tensor::View<float>(runtime, hidden_, out_shape));
    const onnx::Input inputs[] = {
        {"input_ids", &ids_in}, {"attention_mask", &mask_in}, {"token_type_ids", &types_in}};
    const onnx::Output outputs[] = {{"last_hidden_state", &hidden}};
    TRUNKLINE_RETURN_IF_FAILED(model_->session->Run(inputs, outputs, stop));
    Pool(hidden_, ids.size(), std::span<float>(vectors_).subspan(index * kSize, kSize));
    return base::Ok();
  }

  std::shared_ptr<const EmbedModel> model_;
  std::vector<std::string> texts_;
  bool live_;
  size_t next_ = 0;
  std::vector<float> hidden_;
  std::vector<float> vectors_;
};

class EmbedKind final : public engine::JobKind {
 public:
  std::string name() const override { return "embed"; }

  Status Prepare(engine::Services& services) override {
    auto model = std::make_shared<EmbedModel>();
    TRUNKLINE_ASSIGN_OR_RETURN(const std::string vocabulary, services.model(kVocabulary));
    TRUNKLINE_ASSIGN_OR_RETURN(model->pieces, text::WordPieces::Load(vocabulary));
    TRUNKLINE_ASSIGN_OR_RETURN(model->session, services.OpenModel(kModel));
    const char* const inputs[] = {"input_ids", "attention_mask", "token_type_ids"};
    const char* const outputs[] = {"last_hidden_state"};
    TRUNKLINE_RETURN_IF_FAILED(model->session->Require(inputs, outputs));
    model_ = std::move(model);
    return base::Ok();
  }

  engine::Priority priority(const engine::Options& options) const override {
    return options.Flag("live") ? engine::Priority::kFirstAudio : engine::Priority::kOffline;
  }

  Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options,
                                            std::vector<uint8_t> input) override {
    if (input.size() > kMostBytes) return Status(Code::kInvalidArgument, "texts are at most 64 KiB together");
    std::vector<std::string> texts;
    base::ByteReader reader(input);
    while (reader.ok() && reader.remaining() > 0 && texts.size() <= kMostTexts) {
      const auto length = reader.Read<uint32_t>();
      texts.emplace_back(base::AsText(reader.ReadBytes(length)));
    }
    if (!reader.ok()) return Status(Code::kInvalidArgument, "a text ends early");
    if (texts.empty() || texts.size() > kMostTexts) {
      return Status(Code::kInvalidArgument, "1 to 256 texts at once");
    }
    return std::unique_ptr<engine::Job>(
        std::make_unique<EmbedJob>(model_, std::move(texts), options.Flag("live")));
  }

 private:
  std::shared_ptr<const EmbedModel> model_;
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeEmbedKind() {
  return std::make_shared<EmbedKind>();
}

}  // namespace trunkline::embed
