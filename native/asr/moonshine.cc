#include "asr/moonshine.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <semaphore>

#include "asr/hallucination.h"
#include "asr/softmax.h"

namespace trunkline::asr {
namespace {

// A run binds four caches of each layer (onnx::Session has a limit of tensors).
constexpr int64_t kMostLayers = 32;
constexpr double kMoonshineTokensPerSecond = 6.5;
constexpr double kMoonshineTokensAlways = 8;
constexpr double kMoonshineRate = 16000;

// The forms for a GPU (models/recipes/moonshine/device_model.py) have these: a row's samples, and the rows of audio that complete
// the others and become none.
constexpr size_t kMoonshineRowSamples = 384, kMoonshineSpareRows = 2;
constexpr int64_t kDeviceWithin = 400 * base::kNanosPerMilli;

// The rows that the encoder makes: those of its convolutions, of 127, 7 and 3 numbers in steps of 64, 3 and 2.
size_t RowsOf(size_t samples) {
  const size_t first = (samples - 127) / 64 + 1, second = (first - 7) / 3 + 1;
  return (second - 3) / 2 + 1;
}

base::Status Bad(const std::string& what) {
  return base::Status(base::Code::kBadModel, what);
}

// The caches of a layer, without the name of the layer's side of a run.
std::array<std::string, 4> CachesOf(int64_t layer) {
  const std::string number = std::to_string(layer);
  return {number + ".decoder.key", number + ".decoder.value", number + ".encoder.key",
          number + ".encoder.value"};
}

// Checks that the graph takes nothing but these inputs; those of caches are checked one by one.
base::Status TakesOnly(const onnx::Session& graph, const std::string& called,
                       std::span<const char* const> known) {
  for (const onnx::TensorInfo& input : graph.inputs()) {
    const bool is_known = std::find(known.begin(), known.end(), input.name) != known.end();
    if (!is_known && !input.name.starts_with("past_key_values."))
      return Bad("the " + called + " takes " + input.name + ", which a Moonshine does not");
  }
  return base::Ok();
}

// `rank` 0: any.
base::Status IsFloat(const onnx::TensorInfo& info, size_t rank, const std::string& called) {
  if (info.type != onnx::ElementType::kFloat)
    return Bad(info.name + " of the " + called + " is not float32: give a form whose inputs and outputs are");
  if (rank != 0 && info.shape.size() != rank)
    return Bad(info.name + " of the " + called + " has " + std::to_string(info.shape.size()) +
               " dimensions instead of " + std::to_string(rank));
  return base::Ok();
}

MoonshinePass::Likelihood LikelihoodOf(std::span<const float> logits, int32_t best,
                                       std::span<const uint8_t> marked) {
  const float most = logits[static_cast<size_t>(best)];
  double all = 0, some = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    const double weight = std::exp(static_cast<double>(logits[i] - most));
    all += weight;
    if (i < marked.size() && marked[i] != 0) some += weight;
  }
  return {static_cast<float>(1 / all), static_cast<float>(some / all)};
}

}  // namespace

base::Result<std::shared_ptr<const MoonshineModel>> MoonshineModel::Open(const onnx::SessionOpener& open,
                                                                         const std::string& folder) {
  std::shared_ptr<MoonshineModel> model(new MoonshineModel());
  TRUNKLINE_RETURN_IF_FAILED(model->OpenGraphs(open, "moonshine-tiny-en/", "ort", folder));
  return std::shared_ptr<const MoonshineModel>(std::move(model));
}

base::Result<std::shared_ptr<const MoonshineModel>> MoonshineModel::OpenFolder(
    const std::shared_ptr<onnx::Runtime>& runtime, const std::string& folder) {
  std::shared_ptr<MoonshineModel> model(new MoonshineModel());
  std::ifstream conf(folder + "/moonshine.conf");
  if (!conf) return base::Status(base::Code::kNotFound, "cannot read " + folder + "/moonshine.conf");
  std::string name, form;
  model->begin_ = model->end_ = -1;
  while (conf >> name) {
    if (name == "form") conf >> form;
    if (name == "begin") conf >> model->begin_;
    if (name == "end") conf >> model->end_;
  }
  if (form != "onnx" && form != "ort") return Bad("moonshine.conf: the form is not onnx or ort");
  const onnx::SessionOpener open = [&](const std::string& file, const onnx::SessionOptions& options) {
    return onnx::Session::Open(runtime, folder + "/" + file, options);
  };
  TRUNKLINE_RETURN_IF_FAILED(model->OpenGraphs(open, "", form, folder));
  return std::shared_ptr<const MoonshineModel>(std::move(model));
}

base::Status MoonshineModel::OpenGraphs(const onnx::SessionOpener& open, const std::string& stem,
                                        const std::string& form, const std::string& folder) {
  TRUNKLINE_ASSIGN_OR_RETURN(encoder_, open(stem + "encoder." + form, {}));
  TRUNKLINE_ASSIGN_OR_RETURN(decoder_, open(stem + "decoder." + form, {}));
  TRUNKLINE_ASSIGN_OR_RETURN(tokens_, text::PieceTokens::Load(folder + "/tokenizer.bin"));
  TRUNKLINE_RETURN_IF_FAILED(CheckEncoder());
  TRUNKLINE_RETURN_IF_FAILED(CheckDecoder());
  TRUNKLINE_RETURN_IF_FAILED(CheckCaches());
  const auto tokens = static_cast<int64_t>(tokens_.size());
  if (shape_.vocabulary < tokens)
    return Bad("the decoder knows " + std::to_string(shape_.vocabulary) + " tokens, and the tokenizer has " +
               std::to_string(tokens));
  for (const int32_t token : {begin_, end_}) {
    if (token < 0 || token >= tokens)
      return Bad("the tokenizer has no token " + std::to_string(token) + ", which opens or ends texts");
  }
  return base::Ok();
}

base::Status MoonshineModel::CheckEncoder() {
  const char* const audio[] = {"input_values"};
  const char* const hidden[] = {"last_hidden_state"};
  const char* const known[] = {"input_values", kEncoderMask};
  TRUNKLINE_RETURN_IF_FAILED(encoder_->Require(audio, hidden));
  TRUNKLINE_RETURN_IF_FAILED(TakesOnly(*encoder_, "encoder", known));
  TRUNKLINE_RETURN_IF_FAILED(IsFloat(*encoder_->input("input_values"), 2, "encoder"));
  const onnx::TensorInfo& rows = *encoder_->output("last_hidden_state");
  TRUNKLINE_RETURN_IF_FAILED(IsFloat(rows, 3, "encoder"));
  shape_.width = rows.shape[2];
  return base::Ok();
}

base::Status MoonshineModel::CheckDecoder() {
  const char* const inputs[] = {"input_ids", "encoder_hidden_states", "use_cache_branch"};
  const char* const outputs[] = {"logits"};
  const char* const known[] = {"input_ids", "encoder_hidden_states", "use_cache_branch", kDecoderMask};
  TRUNKLINE_RETURN_IF_FAILED(decoder_->Require(inputs, outputs));
  TRUNKLINE_RETURN_IF_FAILED(TakesOnly(*decoder_, "decoder", known));
  const onnx::TensorInfo& rows = *decoder_->input("encoder_hidden_states");
  const onnx::TensorInfo& logits = *decoder_->output("logits");
  TRUNKLINE_RETURN_IF_FAILED(IsFloat(rows, 3, "decoder"));
  TRUNKLINE_RETURN_IF_FAILED(IsFloat(logits, 3, "decoder"));
  if (shape_.width < 0) shape_.width = rows.shape[2];
  if (rows.shape[2] >= 0 && rows.shape[2] != shape_.width)
    return Bad("the encoder makes rows of " + std::to_string(shape_.width) +
               " numbers, and the decoder reads " + std::to_string(rows.shape[2]) +
               ": they are of different models");
  shape_.vocabulary = logits.shape[2];
  if (shape_.width <= 0 || shape_.vocabulary <= 0)
    return Bad("the decoder does not state the width of its rows or the number of its tokens");
  return base::Ok();
}

base::Status MoonshineModel::CheckCaches() {
  while (decoder_->input("past_key_values." + CachesOf(shape_.layers)[0]) != nullptr) ++shape_.layers;
  if (shape_.layers == 0)
    return Bad("the decoder has no caches: give decoder_model_merged, which takes past_key_values");
  if (shape_.layers > kMostLayers)
    return Bad("the decoder has " + std::to_string(shape_.layers) + " layers, and at most " +
               std::to_string(kMostLayers) + " are served");
  for (int64_t layer = 0; layer < shape_.layers; ++layer) {
    for (const std::string& cache : CachesOf(layer)) {
      const std::string in = "past_key_values." + cache, out = "present." + cache;
      const char* const ins[] = {in.c_str()};
      const char* const outs[] = {out.c_str()};
      TRUNKLINE_RETURN_IF_FAILED(decoder_->Require(ins, outs));
      TRUNKLINE_RETURN_IF_FAILED(IsFloat(*decoder_->input(in), 4, "decoder"));
      TRUNKLINE_RETURN_IF_FAILED(IsFloat(*decoder_->output(out), 0, "decoder"));
      const std::vector<int64_t>& shape = decoder_->input(in)->shape;
      if (shape_.heads == 0) shape_.heads = shape[1], shape_.head_width = shape[3];
      if (shape[1] <= 0 || shape[3] <= 0 || shape[1] != shape_.heads || shape[3] != shape_.head_width)
        return Bad(in + " has " + std::to_string(shape[1]) + " heads of " + std::to_string(shape[3]) +
                   " numbers, and the first cache " + std::to_string(shape_.heads) + " of " +
                   std::to_string(shape_.head_width));
    }
  }
  const size_t caches = static_cast<size_t>(std::count_if(
      decoder_->inputs().begin(), decoder_->inputs().end(),
      [](const onnx::TensorInfo& input) { return input.name.starts_with("past_key_values."); }));
  if (caches != 4 * static_cast<size_t>(shape_.layers))
    return Bad("the decoder takes " + std::to_string(caches) + " caches, and its " +
               std::to_string(shape_.layers) + " layers have four each");
  return base::Ok();
}

RecognizerShape MoonshineModel::device_shape() const {
  return {.layers = shape_.layers,
          .heads = shape_.heads,
          .width = shape_.width,
          .vocabulary = shape_.vocabulary,
          .sound = "audio",
          .lines = 1,
          .row_numbers = kMoonshineRowSamples,
          // Audio of 3, 6 and 17 s.
          .rows = {128, 256, 712},
          .texts = 1};
}

MoonshinePass::MoonshinePass(std::shared_ptr<const MoonshineModel> model,
                             std::shared_ptr<RecognizerDevice> device)
    : model_(std::move(model)), device_(std::move(device)) {
  for (int64_t layer = 0; layer < model_->shape().layers; ++layer) {
    for (const std::string& name : CachesOf(layer)) {
      const bool of_encoder = name.find(".encoder.") != std::string::npos;
      caches_.push_back({"past_key_values." + name, "present." + name, of_encoder, {}});
    }
  }
}

void MoonshinePass::Begin(std::span<const float> samples, std::span<const int32_t> stable) {
  Release();
  samples_ = samples;
  written_.assign(stable.begin(), stable.end());
  likelihood_.clear();
  seconds_ = static_cast<double>(samples.size()) / kMoonshineRate;
  most_ = static_cast<size_t>(kMoonshineTokensAlways + kMoonshineTokensPerSecond * seconds_);
  read_ = false;
  done_ = samples.size() < kMinSamples;
  on_device_ = !done_ && device_ != nullptr && device_->serves() &&
               RowsOf(samples.size()) + kMoonshineSpareRows <= model_->device_shape().rows.back();
}

base::Result<bool> MoonshinePass::Step(const onnx::RunOptions* stop, size_t most) {
  if (done_) return true;
  if (on_device_) return StepThere();
  if (!read_) {
    TRUNKLINE_RETURN_IF_FAILED(Read(stop));
    read_ = true;
    return false;
  }
  for (size_t i = 0; i < most && !done_; ++i) {
    if (!logits_) {
      std::vector<int64_t> ids = {model_->begin()};
      ids.insert(ids.end(), written_.begin(), written_.end());
      TRUNKLINE_RETURN_IF_FAILED(Decode(ids, true));
    } else {
      const int64_t last = written_.back();
      TRUNKLINE_RETURN_IF_FAILED(Decode({&last, 1}, false));
    }
    done_ = Choose(logits_.data<float>());
  }
  return done_;
}

base::Status MoonshinePass::Read(const onnx::RunOptions* stop) {
  const onnx::Runtime& runtime = model_->encoder().runtime();
  audio_.assign(samples_.begin(), samples_.end());
  mask_.assign(audio_.size(), 1);
  const int64_t shape[] = {1, static_cast<int64_t>(audio_.size())};
  TRUNKLINE_ASSIGN_OR_RETURN(auto audio, onnx::Tensor::View<float>(runtime, audio_, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto mask, onnx::Tensor::View<int64_t>(runtime, mask_, shape));
  hidden_ = onnx::Tensor();
  logits_ = onnx::Tensor();
  std::vector<onnx::Input> inputs = {{"input_values", &audio}};
  if (model_->encoder_takes_mask()) inputs.push_back({MoonshineModel::kEncoderMask, &mask});
  const onnx::Output outputs[] = {{"last_hidden_state", &hidden_}};
  return model_->encoder().Run(inputs, outputs, stop);
}

// The first run computes the encoder's keys and values; later runs pass them through unread.
base::Status MoonshinePass::Decode(std::span<const int64_t> ids, bool first) {
  const onnx::Runtime& runtime = model_->decoder().runtime();
  if (first) {
    const int64_t nothing[] = {0, model_->shape().heads, 1, model_->shape().head_width};
    for (Cache& cache : caches_) {
      TRUNKLINE_ASSIGN_OR_RETURN(cache.value,
                                 onnx::Tensor::Allocate(runtime, onnx::ElementType::kFloat, nothing));
    }
  }
  const int64_t ids_shape[] = {1, static_cast<int64_t>(ids.size())}, one[] = {1};
  const int64_t mask_shape[] = {1, static_cast<int64_t>(mask_.size())};
  bool later = !first;
  TRUNKLINE_ASSIGN_OR_RETURN(auto id, onnx::Tensor::View<const int64_t>(runtime, ids, ids_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto mask, onnx::Tensor::View<int64_t>(runtime, mask_, mask_shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto branch, onnx::Tensor::View<bool>(runtime, {&later, 1}, one));
  std::vector<onnx::Tensor> present(caches_.size());
  logits_ = onnx::Tensor();
  std::vector<onnx::Input> inputs = {
      {"input_ids", &id}, {"encoder_hidden_states", &hidden_}, {"use_cache_branch", &branch}};
  if (model_->decoder_takes_mask()) inputs.push_back({MoonshineModel::kDecoderMask, &mask});
  std::vector<onnx::Output> outputs = {{"logits", &logits_}};
  for (size_t i = 0; i < caches_.size(); ++i) {
    inputs.push_back({caches_[i].in.c_str(), &caches_[i].value});
    outputs.push_back({caches_[i].out.c_str(), &present[i]});
  }
  TRUNKLINE_RETURN_IF_FAILED(model_->decoder().Run(inputs, outputs));
  for (size_t i = 0; i < caches_.size(); ++i) {
    if (first || !caches_[i].of_encoder) caches_[i].value = std::move(present[i]);
  }
  return base::Ok();
}

base::Result<bool> MoonshinePass::StepThere() {
  if (pending_) {
    if (!submitted_) {
      const auto done = std::make_shared<std::binary_semaphore>(0);
      Submit([done] { done->release(); });
      done->acquire();
    }
    pending_ = submitted_ = false;
    if (!place_.status().ok()) {
      Release();
      read_ = false;
      return false;
    }
    if (read_) done_ = Choose(place_.logits);
    read_ = true;
  }
  if (done_) {
    Release();
  } else {
    ChooseRun();
  }
  return done_;
}

void MoonshinePass::ChooseRun() {
  pending_ = true;
  if (read_) {
    place_.first = texts_.front().size();
    if (place_.first == 0) texts_.front().push_back(model_->begin());
    const auto added = written_.begin() + static_cast<ptrdiff_t>(texts_.front().size() - 1);
    texts_.front().insert(texts_.front().end(), added, written_.end());
    place_.texts = texts_;
    return;
  }
  const size_t rows = RowsOf(samples_.size()), all = rows + kMoonshineSpareRows;
  audio_.assign(all * kMoonshineRowSamples, 0.0f);
  std::copy_n(samples_.begin(), std::min(samples_.size(), audio_.size()), audio_.begin());
  window_.positions.resize(all);
  std::iota(window_.positions.begin(), window_.positions.end(), 0);
  window_.log_count.assign(all, kUnattended);
  std::fill_n(window_.log_count.begin(), rows, 0.0f);
  window_.bias = window_.log_count;
  texts_.assign(1, {});
  place_.places.assign(1, {});
  place_.sound = audio_;
  place_.window = &window_;
}

void MoonshinePass::Submit(std::function<void()> done) {
  submitted_ = true;
  device_->Submit(place_, {true, kDeviceWithin}, std::move(done));
}

void MoonshinePass::Release() {
  if (device_ != nullptr) device_->Release(place_);
  on_device_ = pending_ = submitted_ = false;
}

bool MoonshinePass::Choose(std::span<const float> logits) {
  // A vocabulary may have more tokens than the tokenizer, which are never written.
  const auto vocabulary = static_cast<size_t>(model_->shape().vocabulary);
  if (logits.size() < vocabulary) return true;
  const auto last = logits.last(vocabulary).first(model_->tokens().size());
  const int32_t token = Best(last);
  if (watched_ != nullptr) likelihood_.push_back(LikelihoodOf(last, token, *watched_));
  if (token == model_->end()) return true;
  written_.push_back(token);
  const size_t keep = TokensBeforeLoop(written_, seconds_);
  if (keep == written_.size()) return written_.size() >= most_;
  written_.resize(keep);
  return true;
}

}  // namespace trunkline::asr
