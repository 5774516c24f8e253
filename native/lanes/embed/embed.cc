#include "lanes/embed/embed.h"

#include <cmath>
#include <functional>
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

constexpr size_t kSize = 384;
constexpr size_t kMostTexts = 256;
constexpr size_t kMostBytes = 64 * 1024;
constexpr int64_t kLiveStepDeadline = 100 * base::kNanosPerMilli;
// The same deadline as other offline work, so that no job passes the others step after step.
constexpr int64_t kStepDeadline = 10'000 * base::kNanosPerMilli;

struct EmbedModel {
  std::function<std::vector<int64_t>(std::string_view text)> tokens;
  std::unique_ptr<onnx::Session> session;
  // The graph takes this many of the inputs below: "token_type_ids" is optional.
  size_t inputs = 0;
  // This many texts take some 20 ms, which keeps a step short.
  size_t texts_per_step = 0;
};

constexpr const char* kInputs[] = {"input_ids", "attention_mask", "token_type_ids"};
constexpr const char* kOutputs[] = {"last_hidden_state"};

Result<std::shared_ptr<EmbedModel>> OpenMiniLm(engine::Services& services) {
  // The model's training length; a longer text is truncated.
  constexpr size_t kMostTokens = 128;
  auto model = std::make_shared<EmbedModel>();
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string vocabulary, services.model("minilm-l6/vocab.txt"));
  TRUNKLINE_ASSIGN_OR_RETURN(text::WordPieces pieces, text::WordPieces::Load(vocabulary));
  model->tokens = [pieces = std::move(pieces)](std::string_view text) {
    return pieces.Encode(text, kMostTokens);
  };
  TRUNKLINE_ASSIGN_OR_RETURN(model->session, services.OpenModel("minilm-l6/model.onnx"));
  model->inputs = 3;
  model->texts_per_step = 4;
  return model;
}

Result<std::shared_ptr<EmbedModel>> OpenE5(engine::Services& services) {
  // Half of the model's training length suffices: texts are at most 900 bytes.
  constexpr size_t kMostTokens = 256;
  auto model = std::make_shared<EmbedModel>();
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string table, services.model("e5-small/pieces.bin"));
  TRUNKLINE_ASSIGN_OR_RETURN(text::UnigramPieces pieces, text::UnigramPieces::Load(table));
  model->tokens = [pieces = std::move(pieces)](std::string_view text) {
    return pieces.Encode(text, kMostTokens);
  };
  TRUNKLINE_ASSIGN_OR_RETURN(model->session, services.OpenModel("e5-small/model.onnx"));
  model->inputs = 1;
  model->texts_per_step = 1;
  return model;
}

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
    for (size_t n = 0; n < model_->texts_per_step && next_ < texts_.size(); ++n, ++next_) {
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
    std::vector<int64_t> ids = model_->tokens(text);
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
    const onnx::Input inputs[] = {{kInputs[0], &ids_in}, {kInputs[1], &mask_in}, {kInputs[2], &types_in}};
    const onnx::Output outputs[] = {{kOutputs[0], &hidden}};
    TRUNKLINE_RETURN_IF_FAILED(model_->session->Run(std::span(inputs).first(model_->inputs), outputs, stop));
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

using OpenEmbedModel = Result<std::shared_ptr<EmbedModel>> (*)(engine::Services&);

class EmbedKind final : public engine::JobKind {
 public:
  EmbedKind(std::string name, OpenEmbedModel open) : name_(std::move(name)), open_(open) {}

  std::string name() const override { return name_; }

  Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(const auto model, open_(services));
    TRUNKLINE_RETURN_IF_FAILED(model->session->Require(std::span(kInputs).first(model->inputs), kOutputs));
    model_ = model;
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
  const std::string name_;
  const OpenEmbedModel open_;
  std::shared_ptr<const EmbedModel> model_;
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeEmbedKind() {
  return std::make_shared<EmbedKind>("embed", OpenMiniLm);
}

std::shared_ptr<engine::JobKind> MakeMultilingualEmbedKind() {
  return std::make_shared<EmbedKind>("embed_multilingual", OpenE5);
}

}  // namespace trunkline::embed
