#include "asr/moonshine.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <semaphore>

#include "asr/hallucination.h"
#include "asr/softmax.h"

namespace trunkline::asr {
namespace {

constexpr int32_t kBegin = 1;
constexpr int32_t kEnd = 2;
constexpr int64_t kHeads = 8;
constexpr int64_t kHeadWidth = 36;
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
  TRUNKLINE_ASSIGN_OR_RETURN(model->encoder_, open("moonshine-tiny-en/encoder.ort", {}));
  TRUNKLINE_ASSIGN_OR_RETURN(model->decoder_, open("moonshine-tiny-en/decoder.ort", {}));
  TRUNKLINE_ASSIGN_OR_RETURN(model->tokens_, text::PieceTokens::Load(folder + "/tokenizer.bin"));
  const char* const audio[] = {"input_values", "attention_mask"};
  const char* const hidden[] = {"last_hidden_state"};
  TRUNKLINE_RETURN_IF_FAILED(model->encoder_->Require(audio, hidden));
  const char* const inputs[] = {"input_ids", "encoder_hidden_states", "encoder_attention_mask",
                                "use_cache_branch", "past_key_values.5.decoder.key"};
  const char* const outputs[] = {"logits", "present.5.decoder.key"};
  TRUNKLINE_RETURN_IF_FAILED(model->decoder_->Require(inputs, outputs));
  return std::shared_ptr<const MoonshineModel>(std::move(model));
}

RecognizerShape MoonshineModel::device_shape() const {
  return {.layers = kLayers,
          .heads = kHeads,
          .width = kHeads * kHeadWidth,
          .vocabulary = static_cast<int64_t>(tokens_.size()),
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
  for (size_t layer = 0; layer < MoonshineModel::kLayers; ++layer) {
    for (const char* side : {"decoder", "encoder"}) {
      for (const char* part : {"key", "value"}) {
        const std::string name = std::to_string(layer) + "." + side + "." + part;
        caches_.push_back({"past_key_values." + name, "present." + name, side[0] == 'e', {}});
      }
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
      std::vector<int64_t> ids = {kBegin};
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
  const onnx::Input inputs[] = {{"input_values", &audio}, {"attention_mask", &mask}};
  const onnx::Output outputs[] = {{"last_hidden_state", &hidden_}};
  return model_->encoder().Run(inputs, outputs, stop);
}

// The first run computes the encoder's keys and values; later runs pass them through unread.
base::Status MoonshinePass::Decode(std::span<const int64_t> ids, bool first) {
  const onnx::Runtime& runtime = model_->decoder().runtime();
  if (first) {
    const int64_t nothing[] = {0, kHeads, 1, kHeadWidth};
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
  std::vector<onnx::Input> inputs = {{"input_ids", &id},
                                     {"encoder_hidden_states", &hidden_},
                                     {"encoder_attention_mask", &mask},
                                     {"use_cache_branch", &branch}};
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
    if (place_.first == 0) texts_.front().push_back(kBegin);
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
  const size_t size = model_->tokens().size();
  if (logits.size() < size) return true;
  const int32_t token = Best(logits.last(size));
  if (watched_ != nullptr) likelihood_.push_back(LikelihoodOf(logits.last(size), token, *watched_));
  if (token == kEnd) return true;
  written_.push_back(token);
  const size_t keep = TokensBeforeLoop(written_, seconds_);
  if (keep == written_.size()) return written_.size() >= most_;
  written_.resize(keep);
  return true;
}

}  // namespace trunkline::asr
