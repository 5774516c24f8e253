#include "onnx/abi_call.h"
#include "onnx/session.h"

namespace trunkline::onnx {

using base::Code;

base::Result<std::unique_ptr<RunOptions>> RunOptions::Create(const Runtime& runtime) {
  const OrtApi& api = runtime.api();
  OrtRunOptions* raw = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(Take(api, api.CreateRunOptions(&raw), Code::kInternal, "run options"));
  return std::unique_ptr<RunOptions>(new RunOptions(Handle<OrtRunOptions>(&api, raw)));
}

void RunOptions::Terminate() {
  terminated_.store(true, std::memory_order_release);
  Drop(*options_.api(), options_.api()->RunOptionsSetTerminate(options_.get()));
}

void RunOptions::Reset() {
  Drop(*options_.api(), options_.api()->RunOptionsUnsetTerminate(options_.get()));
  terminated_.store(false, std::memory_order_release);
}

}  // namespace trunkline::onnx
