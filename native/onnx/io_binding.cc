#include "onnx/abi_call.h"
#include "onnx/session.h"

namespace trunkline::onnx {

using base::Code;
using base::Result;
using base::Status;

Result<std::unique_ptr<IoBinding>> IoBinding::Create(const Session& session) {
  const OrtApi& api = session.runtime().api();
  OrtIoBinding* raw = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(Take(api, api.CreateIoBinding(session.get(), &raw), Code::kInternal, "binding"));
  Handle<OrtIoBinding> binding(&api, raw);
  Handle<OrtMemoryInfo> device_memory;
  if (session.device() == Device::kCuda) {
    TRUNKLINE_ASSIGN_OR_RETURN(device_memory, session.MemoryInfo());
  }
  return std::unique_ptr<IoBinding>(new IoBinding(session, std::move(binding), std::move(device_memory)));
}

Status IoBinding::BindInput(const char* name, const Tensor& tensor) {
  const OrtApi& api = *binding_.api();
  return Take(api, api.BindInput(binding_.get(), name, tensor.get()), Code::kInvalidArgument, name);
}

Status IoBinding::BindOutput(const char* name, const Tensor& tensor) {
  const OrtApi& api = *binding_.api();
  return Take(api, api.BindOutput(binding_.get(), name, tensor.get()), Code::kInvalidArgument, name);
}

Status IoBinding::BindOutput(const char* name, bool on_device) {
  const OrtApi& api = *binding_.api();
  const OrtMemoryInfo* memory =
      on_device && device_memory_ ? device_memory_.get() : session_.runtime().cpu_memory();
  return Take(api, api.BindOutputToDevice(binding_.get(), name, memory), Code::kInvalidArgument, name);
}

void IoBinding::ClearInputs() {
  binding_.api()->ClearBoundInputs(binding_.get());
}
void IoBinding::ClearOutputs() {
  binding_.api()->ClearBoundOutputs(binding_.get());
}

Status IoBinding::Run(const RunOptions* options) {
  const OrtApi& api = *binding_.api();
  session_.runtime().CountRun();
  return session_.RunFailure(
      api.RunWithBinding(session_.get(), options == nullptr ? nullptr : options->get(), binding_.get()),
      options);
}

Result<std::vector<Tensor>> IoBinding::Outputs() const {
  const OrtApi& api = *binding_.api();
  OrtAllocator* allocator = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(api, api.GetAllocatorWithDefaultOptions(&allocator), Code::kInternal, "allocator"));
  OrtValue** values = nullptr;
  size_t count = 0;
  TRUNKLINE_RETURN_IF_FAILED(Take(api, api.GetBoundOutputValues(binding_.get(), allocator, &values, &count),
                                  Code::kInference, "outputs"));
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < count; ++i) outputs.push_back(Tensor(Handle<OrtValue>(&api, values[i])));
  if (values != nullptr) Drop(api, api.AllocatorFree(allocator, values));
  return outputs;
}

}  // namespace trunkline::onnx
