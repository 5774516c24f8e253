#include "tts/front_device.h"

#include <algorithm>
#include <chrono>
#include <semaphore>
#include <utility>

#include "tts/generator.h"
#include "tts/kokoro.h"
#include "tts/style_table.h"

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;
using GiveResults = onnx::DeviceScheduler::GiveResults;

namespace {

constexpr std::array<const char*, 2> kGraphs = {"prosody.onnx", "decoder.onnx"};
// A clause that would come later to its prosody, or to its next stretch, is read on the processor.
constexpr onnx::DeviceWork::Urgency kUrgency = {true, 150 * base::kNanosPerMilli};
constexpr size_t kWarmFrames = 96;

template <typename T>
Result<onnx::Tensor> CopyOf(const onnx::Runtime& runtime, const onnx::Tensor& tensor) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto copy, onnx::Tensor::Allocate(runtime, tensor.type(), tensor.shape()));
  const auto numbers = tensor.data<T>();
  std::copy(numbers.begin(), numbers.end(), copy.template data<T>().begin());
  return copy;
}

Result<onnx::Tensor> Copy(const onnx::Runtime& runtime, const onnx::Tensor& tensor) {
  switch (tensor.type()) {
    case onnx::ElementType::kFloat:
      return CopyOf<float>(runtime, tensor);
    case onnx::ElementType::kInt64:
      return CopyOf<int64_t>(runtime, tensor);
    case onnx::ElementType::kBool:
      return CopyOf<bool>(runtime, tensor);
    default:
      return Status(Code::kInvalidArgument, "a tensor of another type");
  }
}

}  // namespace

class FrontDevice::Work final : public onnx::DeviceWork {
 public:
  std::shared_ptr<Call> call;
  std::binary_semaphore done{0};
};

Result<std::shared_ptr<FrontDevice>> FrontDevice::Open(const onnx::SessionOpener& open,
                                                       const std::string& stem,
                                                       const FrontDeviceSettings& settings) {
  const auto device = onnx::DeviceScheduler::Share(new FrontDevice(settings));
  for (const Part part : {kProsody, kDecoder}) {
    TRUNKLINE_ASSIGN_OR_RETURN(device->sessions_[part], open(stem + kGraphs[part], {}));
  }
  TRUNKLINE_RETURN_IF_FAILED(device->sessions_[kProsody]->Require(kProsodyInputs, kProsodyOutputs));
  TRUNKLINE_RETURN_IF_FAILED(device->sessions_[kDecoder]->Require(kDecoderInputs, kDecoderOutputs));
  TRUNKLINE_RETURN_IF_FAILED(device->WarmUp());
  onnx::DeviceScheduler::Model& runs = *device;
  device->scheduler_ = std::make_unique<onnx::DeviceScheduler>(runs, device->clock_, settings.scheduler);
  return device;
}

FrontDevice::~FrontDevice() = default;

Status FrontDevice::WarmUp() {
  const onnx::Runtime& runtime = sessions_[kProsody]->runtime();
  const auto add = [&](Call& call, const char* name, std::vector<int64_t> shape, auto value) -> Status {
    using Value = decltype(value);
    TRUNKLINE_ASSIGN_OR_RETURN(auto tensor, onnx::Tensor::Allocate(runtime, onnx::kElementOf<Value>, shape));
    const auto numbers = tensor.template data<Value>();
    std::fill(numbers.begin(), numbers.end(), value);
    call.in.emplace_back(name);
    call.given.push_back(std::move(tensor));
    return base::Ok();
  };
  constexpr auto kFrames = static_cast<int64_t>(kWarmFrames);
  Call prosody;
  prosody.out.assign(std::begin(kProsodyOutputs), std::end(kProsodyOutputs));
  TRUNKLINE_RETURN_IF_FAILED(add(prosody, "tokens", {1, 24}, int64_t{16}));
  TRUNKLINE_RETURN_IF_FAILED(add(prosody, "style", {1, kStyleWidth}, 0.0F));
  TRUNKLINE_RETURN_IF_FAILED(add(prosody, "speed", {1, 1}, 1.0F));
  TRUNKLINE_RETURN_IF_FAILED(add(prosody, "pitch", {1, 1, 1}, 1.0F));
  TRUNKLINE_RETURN_IF_FAILED(add(prosody, "range", {1}, 1.0F));
  TRUNKLINE_RETURN_IF_FAILED(add(prosody, "center", {1}, 180.0F));
  TRUNKLINE_RETURN_IF_FAILED(RunCall(prosody));
  Call decoder;
  decoder.part = kDecoder;
  decoder.out.assign(std::begin(kDecoderOutputs), std::end(kDecoderOutputs));
  TRUNKLINE_RETURN_IF_FAILED(add(decoder, "sounds", {1, kGeneratorChannels, kFrames / 2}, 0.0F));
  TRUNKLINE_RETURN_IF_FAILED(add(decoder, "hertz", {1, kFrames}, 180.0F));
  TRUNKLINE_RETURN_IF_FAILED(add(decoder, "energy", {1, kFrames}, 0.0F));
  TRUNKLINE_RETURN_IF_FAILED(add(decoder, "style", {1, kStyleWidth}, 0.0F));
  TRUNKLINE_RETURN_IF_FAILED(add(decoder, "phase", {1, kSines, kFrames}, 0.0F));
  TRUNKLINE_RETURN_IF_FAILED(add(decoder, "statistics", {kDecoderMeans}, 1.0F));
  TRUNKLINE_RETURN_IF_FAILED(add(decoder, "measure", {1}, false));
  return RunCall(decoder);
}

Status FrontDevice::Run(Part part, std::span<const onnx::Input> inputs,
                        std::span<const onnx::Output> outputs) {
  const auto call = std::make_shared<Call>();
  call->part = part;
  for (const onnx::Input& input : inputs) {
    TRUNKLINE_ASSIGN_OR_RETURN(auto copy, Copy(sessions_[part]->runtime(), *input.tensor));
    call->in.emplace_back(input.name);
    call->given.push_back(std::move(copy));
  }
  for (const onnx::Output& output : outputs) call->out.emplace_back(output.name);
  const auto work = std::make_shared<Work>();
  work->call = call;
  scheduler_->Submit(*work, kUrgency, true, [work] { work->done.release(); });
  if (!work->done.try_acquire_for(std::chrono::nanoseconds(settings_.max_wait_nanos)))
    return Status(Code::kDevice, "a run on the GPU takes too long");
  TRUNKLINE_RETURN_IF_FAILED(work->status());
  for (size_t i = 0; i < outputs.size(); ++i) *outputs[i].tensor = std::move(call->made[i]);
  return base::Ok();
}

Status FrontDevice::RunCall(Call& call) const {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto binding, onnx::IoBinding::Create(*sessions_[call.part]));
  for (size_t i = 0; i < call.in.size(); ++i) {
    TRUNKLINE_RETURN_IF_FAILED(binding->BindInput(call.in[i].c_str(), call.given[i]));
  }
  for (const std::string& name : call.out) {
    TRUNKLINE_RETURN_IF_FAILED(binding->BindOutput(name.c_str(), false));
  }
  TRUNKLINE_RETURN_IF_FAILED(binding->Run());
  TRUNKLINE_ASSIGN_OR_RETURN(call.made, binding->Outputs());
  return base::Ok();
}

std::vector<onnx::DeviceWork*> FrontDevice::Choose(std::span<onnx::DeviceWork* const> waiting) {
  return {waiting.front()};
}

Result<GiveResults> FrontDevice::Run(std::span<onnx::DeviceWork* const> batch) {
  const std::shared_ptr<Call> call = static_cast<const Work*>(batch.front())->call;
  TRUNKLINE_RETURN_IF_FAILED(RunCall(*call));
  return GiveResults([] {});
}

void FrontDevice::Failed(const Status& status) {
  serves_.store(false, std::memory_order_release);
  for (const auto& session : sessions_) {
    session->placement()->FellBack("the GPU failed while the model ran: " + status.message());
  }
}

}  // namespace trunkline::tts
