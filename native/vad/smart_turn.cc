#include "vad/smart_turn.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace trunkline::vad {
namespace {

constexpr float kMinVariance = 1e-7f;

// Pads silence at the front and normalises to mean zero and variance one, as in training.
std::vector<float> Normalised(std::span<const float> samples) {
  const size_t count = std::min(samples.size(), SmartTurn::kSamples);
  std::vector<float> window(SmartTurn::kSamples, 0.0f);
  std::copy(samples.end() - static_cast<ptrdiff_t>(count), samples.end(),
            window.end() - static_cast<ptrdiff_t>(count));
  double sum = 0, squares = 0;
  for (const float x : window) sum += x;
  const double mean = sum / static_cast<double>(window.size());
  for (const float x : window) squares += (x - mean) * (x - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(window.size()) + kMinVariance);
  for (float& x : window) x = static_cast<float>((x - mean) / deviation);
  return window;
}

constexpr size_t kFrames = SmartTurn::kSamples / dsp::LogMel::kHop;
constexpr size_t kValues = dsp::LogMel::kBands * kFrames;
// Pauses in one run on a GPU.
constexpr size_t kMaxTogether = 32;

base::Status Check(std::span<const float> answers, size_t count) {
  const auto finite = [](float value) { return std::isfinite(value); };
  if (answers.size() == count && std::all_of(answers.begin(), answers.end(), finite)) return base::Ok();
  return base::Status(base::Code::kInference, "the end-of-turn model gave no probability");
}

}  // namespace

base::Result<std::shared_ptr<SmartTurn>> SmartTurn::Open(const onnx::SessionOpener& open,
                                                         const onnx::DeviceScheduler::Settings& scheduler) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto session, open("smart-turn/smart-turn-v3.2.onnx", {}));
  const char* const inputs[] = {"input_features"};
  const char* const outputs[] = {"logits"};
  TRUNKLINE_RETURN_IF_FAILED(session->Require(inputs, outputs));
  auto turn = onnx::DeviceScheduler::Share(new SmartTurn(std::move(session)));
  if (turn->model_->on_gpu()) {
    // The first run of a graph takes up to half a second. One that fails leaves the session on the processor.
    TRUNKLINE_RETURN_IF_FAILED(turn->Finished(std::vector<float>(kSamples)).status());
  }
  if (turn->model_->on_gpu()) {
    onnx::DeviceScheduler::Model& batches = *turn;
    turn->scheduler_ = std::make_unique<onnx::DeviceScheduler>(batches, turn->clock_, scheduler);
  }
  return turn;
}

SmartTurn::~SmartTurn() = default;

std::vector<float> SmartTurn::Features(std::span<const float> samples) const {
  std::vector<float> mel(kValues);
  log_mel_.Compute(Normalised(samples), kFrames, mel);
  return mel;
}

base::Result<float> SmartTurn::Finished(std::span<const float> samples) const {
  auto mel = Features(samples);
  const int64_t shape[] = {1, dsp::LogMel::kBands, kFrames};
  TRUNKLINE_ASSIGN_OR_RETURN(auto features, onnx::Tensor::View<float>(model_->runtime(), mel, shape));
  onnx::Tensor answers;  // the model's last step is a sigmoid
  const onnx::Input inputs[] = {{"input_features", &features}};
  const onnx::Output outputs[] = {{"logits", &answers}};
  TRUNKLINE_RETURN_IF_FAILED(model_->Run(inputs, outputs));
  TRUNKLINE_RETURN_IF_FAILED(Check(answers.data<float>(), 1));
  return answers.data<float>().front();
}

void SmartTurn::Submit(TurnWork& work, std::span<const float> samples, onnx::DeviceWork::Urgency urgency,
                       std::function<void()> done) {
  work.mel_ = Features(samples);
  scheduler_->Submit(work, urgency, true, std::move(done));
}

std::vector<onnx::DeviceWork*> SmartTurn::Choose(std::span<onnx::DeviceWork* const> waiting) {
  const auto most = waiting.first(std::min(waiting.size(), kMaxTogether));
  return {most.begin(), most.end()};
}

base::Result<onnx::DeviceScheduler::GiveResults> SmartTurn::Run(std::span<onnx::DeviceWork* const> batch) {
  std::vector<float> mel, answers(batch.size());
  for (const onnx::DeviceWork* work : batch) {
    const auto& one = static_cast<const TurnWork*>(work)->mel_;
    mel.insert(mel.end(), one.begin(), one.end());
  }
  const auto count = static_cast<int64_t>(batch.size());
  const int64_t shape[] = {count, dsp::LogMel::kBands, kFrames}, answers_shape[] = {count, 1};
  TRUNKLINE_ASSIGN_OR_RETURN(const auto binding, onnx::IoBinding::Create(*model_));
  TRUNKLINE_ASSIGN_OR_RETURN(auto features, onnx::Tensor::View<float>(model_->runtime(), mel, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(auto logits,
                             onnx::Tensor::View<float>(model_->runtime(), answers, answers_shape));
  TRUNKLINE_RETURN_IF_FAILED(binding->BindInput("input_features", features));
  TRUNKLINE_RETURN_IF_FAILED(binding->BindOutput("logits", logits));
  TRUNKLINE_RETURN_IF_FAILED(binding->Run());
  TRUNKLINE_RETURN_IF_FAILED(Check(answers, batch.size()));
  return onnx::DeviceScheduler::GiveResults(
      [given = std::vector<onnx::DeviceWork*>(batch.begin(), batch.end()), answers = std::move(answers)] {
        for (size_t i = 0; i < given.size(); ++i) static_cast<TurnWork*>(given[i])->probability_ = answers[i];
      });
}

void SmartTurn::Failed(const base::Status& status) {
  model_->LeaveGpu(status);
  serves_.store(false, std::memory_order_release);
}

}  // namespace trunkline::vad
