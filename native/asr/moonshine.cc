#include "asr/moonshine.h"

#include <algorithm>
#include <cmath>

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

MoonshinePass::MoonshinePass(std::shared_ptr<const MoonshineModel> model) : model_(std::move(model)) {
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
  samples_ = samples;
  written_.assign(stable.begin(), stable.end());
  likelihood_.clear();
  seconds_ = static_cast<double>(samples.size()) / kMoonshineRate;
  most_ = static_cast<size_t>(kMoonshineTokensAlways + kMoonshineTokensPerSecond * seconds_);
  read_ = false;
  done_ = samples.size() < kMinSamples;
}

base::Result<bool> MoonshinePass::Step(const onnx::RunOptions* stop, size_t most) {
  if (done_) return true;
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
    done_ = Choose();
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

bool MoonshinePass::Choose() {
  const std::span<const float> logits = logits_.data<float>();
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
