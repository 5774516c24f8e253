#include "lanes/embed/embed.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/heap.h"
#include "engine/engine.h"
#include "lanes/embed/added_models.h"
#include "lanes/embed/model.h"
#include "text/tokens/tokens.h"

namespace trunkline::embed {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr size_t kMaxTexts = 256;
constexpr size_t kMaxBytes = 64 * 1024;
constexpr int64_t kLiveStepDeadline = 100 * base::kNanosPerMilli;

// Opens a model with the first texts, because most servers have no knowledge base. Thread-safe.
class BundledModel {
 public:
  using OpenModel = Result<std::shared_ptr<EmbedModel>> (*)(engine::Services&);

  BundledModel(engine::Services& services, OpenModel open) : services_(services), open_(open) {}

  bool opened() const { return opened_.load(std::memory_order_acquire); }

  // kNotReady for a text of a call while another text opens the model: that takes longer than a caller waits.
  Result<std::shared_ptr<const EmbedModel>> Get(bool live) {
    if (opened()) return model_;
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      if (live) return Status(Code::kNotReady, "the embedding model is being opened");
      lock.lock();
    }
    if (opened()) return model_;
    if (failed_.ok()) failed_ = Open();
    if (!failed_.ok()) return failed_;
    opened_.store(true, std::memory_order_release);
    return model_;
  }

 private:
  Status Open() {
    TRUNKLINE_ASSIGN_OR_RETURN(const auto opened, open_(services_));
    TRUNKLINE_RETURN_IF_FAILED(opened->Check());
    model_ = opened;
    base::ReturnFreeMemory();
    return base::Ok();
  }

  engine::Services& services_;
  const OpenModel open_;
  std::mutex mutex_;
  std::atomic<bool> opened_{false};
  std::shared_ptr<const EmbedModel> model_;  // written before opened_
  Status failed_;                            // a model that cannot be opened is not tried again
};

Result<std::shared_ptr<EmbedModel>> OpenMiniLm(engine::Services& services) {
  // The model's training length; a longer text is truncated.
  constexpr size_t kMaxTokens = 128;
  auto model = std::make_shared<EmbedModel>();
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string vocabulary, services.model("minilm-l6/vocab.txt"));
  TRUNKLINE_ASSIGN_OR_RETURN(text::WordPieces pieces, text::WordPieces::Load(vocabulary));
  model->tokens = [pieces = std::move(pieces)](std::string_view text) {
    return pieces.Encode(text, kMaxTokens);
  };
  TRUNKLINE_ASSIGN_OR_RETURN(model->session, services.OpenModel("minilm-l6/model.onnx"));
  model->takes_types = true;
  model->texts_per_step = 4;
  return model;
}

Result<std::shared_ptr<EmbedModel>> OpenE5(engine::Services& services) {
  // Half of the model's training length suffices: texts are at most 900 bytes.
  constexpr size_t kMaxTokens = 256;
  auto model = std::make_shared<EmbedModel>();
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string table, services.model("e5-small/pieces.bin"));
  TRUNKLINE_ASSIGN_OR_RETURN(text::UnigramPieces pieces, text::UnigramPieces::Load(table));
  model->tokens = [pieces = std::move(pieces)](std::string_view text) {
    return pieces.Encode(text, kMaxTokens);
  };
  TRUNKLINE_ASSIGN_OR_RETURN(model->session, services.OpenModel("e5-small/model.onnx"));
  model->takes_mask = false;
  return model;
}

using GetModel = std::function<Result<std::shared_ptr<const EmbedModel>>()>;

class EmbedJob final : public engine::Job {
 public:
  EmbedJob(GetModel model, std::vector<std::string> texts, bool live)
      : get_model_(std::move(model)), texts_(std::move(texts)), live_(live) {}

  engine::Task::Step Step(engine::JobIo& io) override {
    io.Schedule(live_ ? engine::Priority::kFirstAudio : engine::Priority::kOffline,
                io.now() + (live_ ? kLiveStepDeadline : engine::kOfflineStepNanos));
    if (model_ == nullptr) {
      const auto model = get_model_();
      if (!model.ok()) return io.End(model.status());
      model_ = *model;
      vectors_.resize(texts_.size() * model_->size);
    }
    for (size_t n = 0; n < model_->texts_per_step && next_ < texts_.size(); ++n, ++next_) {
      const auto vector = std::span<float>(vectors_).subspan(next_ * model_->size, model_->size);
      const Status status = Embed(*model_, texts_[next_], hidden_, vector, io.run_options());
      if (!status.ok()) return io.End(status);
    }
    if (next_ < texts_.size()) return engine::Task::Step::kAgain;
    const auto bytes = base::AsBytes(std::span<const float>(vectors_));
    io.Emit(engine::Chunk(bytes.begin(), bytes.end()));
    return io.End(base::Ok());
  }

 private:
  const GetModel get_model_;
  std::shared_ptr<const EmbedModel> model_;
  std::vector<std::string> texts_;
  bool live_;
  size_t next_ = 0;
  std::vector<float> hidden_;
  std::vector<float> vectors_;
};

Result<std::vector<std::string>> ReadTexts(base::ByteView input) {
  if (input.size() > kMaxBytes) return Status(Code::kInvalidArgument, "texts are at most 64 KiB together");
  std::vector<std::string> texts;
  base::ByteReader reader(input);
  while (reader.ok() && reader.remaining() > 0 && texts.size() <= kMaxTexts) {
    const auto length = reader.Read<uint32_t>();
    texts.emplace_back(base::AsText(reader.ReadBytes(length)));
  }
  if (!reader.ok()) return Status(Code::kInvalidArgument, "a text ends early");
  if (texts.empty() || texts.size() > kMaxTexts) {
    return Status(Code::kInvalidArgument, "1 to 256 texts at once");
  }
  return texts;
}

engine::Priority PriorityOf(const engine::Options& options) {
  return options.Flag("live") ? engine::Priority::kFirstAudio : engine::Priority::kOffline;
}

class EmbedKind final : public engine::JobKind {
 public:
  EmbedKind(std::string name, std::vector<std::string> files, BundledModel::OpenModel open)
      : name_(std::move(name)), files_(std::move(files)), open_(open) {}

  std::string name() const override { return name_; }

  Status Prepare(engine::Services& services) override {
    for (const std::string& file : files_) TRUNKLINE_RETURN_IF_FAILED(services.model(file).status());
    model_ = std::make_shared<BundledModel>(services, open_);
    return base::Ok();
  }

  // The text that opens the model yields to calls.
  engine::Priority priority(const engine::Options& options) const override {
    return model_->opened() ? PriorityOf(options) : engine::Priority::kOffline;
  }

  Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options,
                                            std::vector<uint8_t> input) override {
    TRUNKLINE_ASSIGN_OR_RETURN(auto texts, ReadTexts(input));
    const bool live = options.Flag("live");
    return std::unique_ptr<engine::Job>(std::make_unique<EmbedJob>(
        [model = model_, live] { return model->Get(live); }, std::move(texts), live));
  }

 private:
  const std::string name_;
  const std::vector<std::string> files_;
  const BundledModel::OpenModel open_;
  std::shared_ptr<BundledModel> model_;
};

// Opens an added model, and closes those that are not to be kept.
class OpenEmbedderJob final : public engine::Job {
 public:
  OpenEmbedderJob(std::shared_ptr<AddedModels> models, const engine::Options& options)
      : models_(std::move(models)), folder_(options.Text("model")), closes_(options.Has("keep")) {
    options.EachText("keep", [&](std::string_view folder) { keep_.emplace_back(folder); });
  }

  engine::Task::Step Step(engine::JobIo& io) override {
    if (closes_) models_->CloseBut(keep_);
    if (!folder_.empty()) {
      const Status opened = models_->Open(folder_);
      if (!opened.ok()) return io.End(opened);
    }
    io.Emit({});
    return io.End(base::Ok());
  }

 private:
  const std::shared_ptr<AddedModels> models_;
  const std::string folder_;
  const bool closes_;
  std::vector<std::string> keep_;
};

// The models of both kinds of job are those of one process.
std::shared_ptr<AddedModels> SharedAddedModels() {
  static const auto models = std::make_shared<AddedModels>();
  return models;
}

class AddedEmbedKind final : public engine::JobKind {
 public:
  std::string name() const override { return "embed_added"; }

  engine::Priority priority(const engine::Options& options) const override { return PriorityOf(options); }

  Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options,
                                            std::vector<uint8_t> input) override {
    TRUNKLINE_ASSIGN_OR_RETURN(auto texts, ReadTexts(input));
    auto model = SharedAddedModels()->Find(options.Text("model"));
    if (model == nullptr) {
      return Status(Code::kNotReady, "the model " + std::string(options.Text("model")) + " is not open");
    }
    return std::unique_ptr<engine::Job>(std::make_unique<EmbedJob>(
        [model = std::move(model)] { return model; }, std::move(texts), options.Flag("live")));
  }
};

class OpenEmbedderKind final : public engine::JobKind {
 public:
  std::string name() const override { return "open_embedder"; }

  Status Prepare(engine::Services& services) override {
    TRUNKLINE_ASSIGN_OR_RETURN(auto runtime, services.runtime());
    SharedAddedModels()->Use(std::move(runtime));
    return base::Ok();
  }

  Result<std::unique_ptr<engine::Job>> Open(const engine::Options& options, std::vector<uint8_t>) override {
    return std::unique_ptr<engine::Job>(std::make_unique<OpenEmbedderJob>(SharedAddedModels(), options));
  }
};

}  // namespace

std::shared_ptr<engine::JobKind> MakeEmbedKind() {
  return std::make_shared<EmbedKind>(
      "embed", std::vector<std::string>{"minilm-l6/model.onnx", "minilm-l6/vocab.txt"}, OpenMiniLm);
}

std::shared_ptr<engine::JobKind> MakeMultilingualEmbedKind() {
  return std::make_shared<EmbedKind>(
      "embed_multilingual", std::vector<std::string>{"e5-small/model.onnx", "e5-small/pieces.bin"}, OpenE5);
}

std::shared_ptr<engine::JobKind> MakeAddedEmbedKind() {
  return std::make_shared<AddedEmbedKind>();
}

std::shared_ptr<engine::JobKind> MakeOpenEmbedderKind() {
  return std::make_shared<OpenEmbedderKind>();
}

}  // namespace trunkline::embed
