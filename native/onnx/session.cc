#include "onnx/session.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/cpu.h"
#include "onnx/abi_call.h"

namespace trunkline::onnx {

using base::Code;
using base::Result;
using base::Status;

namespace {

// The decoder of a large Whisper, the widest graph, has 132 inputs.
constexpr size_t kMaxTensors = 160;

std::atomic<size_t> all_bytes{0};

Result<Handle<OrtSessionOptions>> CpuOptions(const OrtApi& api, const SessionOptions& options) {
  OrtSessionOptions* raw = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(Take(api, api.CreateSessionOptions(&raw), Code::kInternal, "session options"));
  Handle<OrtSessionOptions> made(&api, raw);
  const auto set = [&](OrtStatus* status, const char* what) {
    return Take(api, status, Code::kInvalidArgument, what);
  };
  if (options.threads == 0) {
    TRUNKLINE_RETURN_IF_FAILED(set(api.DisablePerSessionThreads(raw), "shared threads"));
  } else {
    TRUNKLINE_RETURN_IF_FAILED(set(api.SetIntraOpNumThreads(raw, options.threads), "threads"));
    TRUNKLINE_RETURN_IF_FAILED(set(api.SetInterOpNumThreads(raw, 1), "threads between operators"));
    TRUNKLINE_RETURN_IF_FAILED(
        set(api.AddSessionConfigEntry(raw, "session.intra_op.allow_spinning", options.spin ? "1" : "0"),
            "spinning"));
  }
  TRUNKLINE_RETURN_IF_FAILED(set(api.SetSessionExecutionMode(raw, ORT_SEQUENTIAL), "execution mode"));
  TRUNKLINE_RETURN_IF_FAILED(set(api.SetSessionGraphOptimizationLevel(raw, ORT_ENABLE_ALL), "optimization"));
  if (!options.arena) TRUNKLINE_RETURN_IF_FAILED(set(api.DisableCpuMemArena(raw), "arena"));
  if (!options.memory_pattern) TRUNKLINE_RETURN_IF_FAILED(set(api.DisableMemPattern(raw), "memory pattern"));
  // The library without VNNI multiplies unsigned by signed bytes in pairs of 16 bits and saturates. This
  // setting stores such weights as unsigned bytes around 128, whose products are exact.
  if (!base::Cpu().exact_u8s8()) {
    TRUNKLINE_RETURN_IF_FAILED(
        set(api.AddSessionConfigEntry(raw, "session.x64quantprecision", "1"), "exact 8-bit products"));
  }
  for (const auto& [key, value] : options.entries) {
    TRUNKLINE_RETURN_IF_FAILED(set(api.AddSessionConfigEntry(raw, key.c_str(), value.c_str()), key.c_str()));
  }
  return made;
}

Status AppendCuda(const OrtApi& api, OrtSessionOptions* session_options, const CudaSettings& settings) {
  OrtCUDAProviderOptionsV2* raw = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(Take(api, api.CreateCUDAProviderOptions(&raw), Code::kDevice, "CUDA"));
  Handle<OrtCUDAProviderOptionsV2> cuda(&api, raw);
  const std::string id = std::to_string(settings.device), memory = std::to_string(settings.memory);
  std::vector<const char*> keys = {"device_id", "cudnn_conv_algo_search"};
  std::vector<const char*> values = {id.c_str(), settings.convolution_search.c_str()};
  if (settings.memory > 0) {
    // Growing by powers of two would meet the limit with half of it unused.
    keys.insert(keys.end(), {"gpu_mem_limit", "arena_extend_strategy"});
    values.insert(values.end(), {memory.c_str(), "kSameAsRequested"});
  }
  TRUNKLINE_RETURN_IF_FAILED(Take(api,
                                  api.UpdateCUDAProviderOptions(raw, keys.data(), values.data(), keys.size()),
                                  Code::kDevice, "CUDA device"));
  return Take(api, api.SessionOptionsAppendExecutionProvider_CUDA_V2(session_options, raw), Code::kDevice,
              "CUDA");
}

// Removes the runtime's source position in front of the reason, and the line's end behind it.
std::string Readable(std::string message) {
  if (const size_t reason = message.find("Failed to load library"); reason != std::string::npos) {
    message.erase(0, reason);
  }
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return message;
}

// Parses the runtime's log of a graph that it has divided: "All nodes placed on [CPUExecutionProvider].
// Number of nodes: 74", one such line for each provider when there are several, and "98 Memcpy nodes are
// added to the graph".
NodeCounts CountNodes(const std::vector<std::string>& lines) {
  NodeCounts counts;
  for (const std::string& line : lines) {
    const size_t open = line.find("placed on ["), number = line.find("Number of nodes: ");
    const size_t end = line.find("ExecutionProvider]");
    if (open != std::string::npos && number != std::string::npos && end != std::string::npos) {
      const size_t name = open + std::string_view("placed on [").size();
      counts.nodes[line.substr(name, end - name)] += std::atoi(line.c_str() + number + 17);
    }
    if (line.find(" Memcpy nodes are added") != std::string::npos) counts.copies += std::atoi(line.c_str());
  }
  return counts;
}

Result<TensorInfo> DescribeOne(const OrtApi& api, const OrtSession* session, size_t index, bool output) {
  OrtAllocator* allocator = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(api, api.GetAllocatorWithDefaultOptions(&allocator), Code::kInternal, "allocator"));
  char* name = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(Take(
      api, (output ? api.SessionGetOutputName : api.SessionGetInputName)(session, index, allocator, &name),
      Code::kBadModel, "name"));
  TensorInfo info{name, ElementType::kUndefined, {}};
  Drop(api, api.AllocatorFree(allocator, name));
  OrtTypeInfo* raw = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(api, (output ? api.SessionGetOutputTypeInfo : api.SessionGetInputTypeInfo)(session, index, &raw),
           Code::kBadModel, info.name));
  Handle<OrtTypeInfo> type_info(&api, raw);
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(api, api.CastTypeInfoToTensorInfo(type_info.get(), &tensor), Code::kBadModel, info.name));
  if (tensor == nullptr) return info;  // a sequence or a map: no tensor, and none of ours has one
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  TRUNKLINE_RETURN_IF_FAILED(Take(api, api.GetTensorElementType(tensor, &type), Code::kBadModel, info.name));
  TRUNKLINE_RETURN_IF_FAILED(Take(api, api.GetDimensionsCount(tensor, &rank), Code::kBadModel, info.name));
  info.type = static_cast<ElementType>(type);
  info.shape.resize(rank);
  TRUNKLINE_RETURN_IF_FAILED(
      Take(api, api.GetDimensions(tensor, info.shape.data(), rank), Code::kBadModel, info.name));
  return info;
}

const TensorInfo* Find(const std::vector<TensorInfo>& list, std::string_view name) {
  for (const TensorInfo& info : list) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace

struct Session::Source {
  std::string name;
  const char* path = nullptr;
  base::ByteView bytes;

  size_t size() const {
    if (path == nullptr) return bytes.size();
    std::error_code none;
    const auto size = std::filesystem::file_size(path, none);
    return none ? 0 : static_cast<size_t>(size);
  }
};

Session::~Session() {
  all_bytes.fetch_sub(bytes_, std::memory_order_relaxed);
}

size_t Session::open_bytes() {
  return all_bytes.load(std::memory_order_relaxed);
}

Result<std::unique_ptr<Session>> Session::Open(std::shared_ptr<Runtime> runtime, const std::string& path,
                                               const SessionOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return Status(Code::kNotFound, "model: no file at '" + path + "'");
  }
  return OpenSource(std::move(runtime), {std::filesystem::path(path).filename().string(), path.c_str(), {}},
                    options);
}

Result<std::unique_ptr<Session>> Session::OpenBytes(std::shared_ptr<Runtime> runtime, base::ByteView model,
                                                    const SessionOptions& options) {
  return OpenSource(std::move(runtime),
                    {"model of " + std::to_string(model.size()) + " bytes", nullptr, model}, options);
}

Result<std::unique_ptr<Session>> Session::OpenSource(std::shared_ptr<Runtime> runtime, const Source& source,
                                                     const SessionOptions& options) {
  std::unique_ptr<Session> session(new Session());
  session->runtime_ = std::move(runtime);
  session->name_ = source.name;
  session->options_ = options;
  if (source.path != nullptr) session->path_ = source.path;
  const bool has_cuda = session->runtime_->has_cuda();
  const bool try_cuda = options.device == Device::kCuda || (options.device == Device::kAuto && has_cuda);
  PlacementReport report{.name = source.name};
  if (try_cuda) {
    const auto opened = [&]() -> Status {
      if (!has_cuda) {
        return Status(Code::kDevice, "no CUDA build of the inference library is configured: '" +
                                         session->runtime_->library() + "' has none");
      }
      TRUNKLINE_RETURN_IF_FAILED(session->runtime_->PrepareCuda());
      TRUNKLINE_ASSIGN_OR_RETURN(session->session_, session->Create(source, options, true, &report.counts));
      return base::Ok();
    }();
    if (opened.ok()) {
      report.device = Device::kCuda;
    } else {
      report.failed = true;
      report.reason = Readable(opened.message());
    }
  }
  if (!session->session_) {
    TRUNKLINE_ASSIGN_OR_RETURN(
        session->session_,
        session->Create(source, options, false, options.count_nodes ? &report.counts : nullptr));
  }
  session->active_ = session->session_.get();
  session->on_gpu_ = report.device == Device::kCuda;
  session->placement_ = std::make_shared<Placement>(std::move(report));
  session->bytes_ = source.size();
  all_bytes.fetch_add(session->bytes_, std::memory_order_relaxed);
  TRUNKLINE_RETURN_IF_FAILED(session->Describe());
  return session;
}

Result<Handle<OrtSession>> Session::Create(const Source& source, const SessionOptions& options, bool cuda,
                                           NodeCounts* counts) const {
  const OrtApi& api = runtime_->api();
  TRUNKLINE_ASSIGN_OR_RETURN(Handle<OrtSessionOptions> made, CpuOptions(api, options));
  if (cuda) TRUNKLINE_RETURN_IF_FAILED(AppendCuda(api, made.get(), options.cuda));
  std::optional<LogCapture> log;
  if (counts != nullptr) {
    Drop(api, api.SetSessionLogSeverityLevel(made.get(), ORT_LOGGING_LEVEL_VERBOSE));
    log.emplace();
  }
  OrtSession* session = nullptr;
  OrtStatus* status = source.path != nullptr
                          ? api.CreateSession(runtime_->env(), source.path, made.get(), &session)
                          : api.CreateSessionFromArray(runtime_->env(), source.bytes.data(),
                                                       source.bytes.size(), made.get(), &session);
  if (log) *counts = CountNodes(log->lines());
  TRUNKLINE_RETURN_IF_FAILED(Take(api, status, cuda ? Code::kDevice : Code::kBadModel, source.name));
  return Handle<OrtSession>(&api, session);
}

Status Session::Describe() {
  const OrtApi& api = runtime_->api();
  for (const bool output : {false, true}) {
    size_t count = 0;
    TRUNKLINE_RETURN_IF_FAILED(
        Take(api, (output ? api.SessionGetOutputCount : api.SessionGetInputCount)(session_.get(), &count),
             Code::kBadModel, name_));
    for (size_t index = 0; index < count; ++index) {
      TRUNKLINE_ASSIGN_OR_RETURN(TensorInfo info, DescribeOne(api, session_.get(), index, output));
      (output ? outputs_ : inputs_).push_back(std::move(info));
    }
  }
  return base::Ok();
}

const TensorInfo* Session::input(std::string_view name) const {
  return Find(inputs_, name);
}
const TensorInfo* Session::output(std::string_view name) const {
  return Find(outputs_, name);
}

Status Session::Require(std::span<const char* const> inputs, std::span<const char* const> outputs) const {
  for (const char* name : inputs) {
    if (input(name) == nullptr) return Status(Code::kBadModel, name_ + " has no input named " + name);
  }
  for (const char* name : outputs) {
    if (output(name) == nullptr) return Status(Code::kBadModel, name_ + " has no output named " + name);
  }
  return base::Ok();
}

Result<Handle<OrtMemoryInfo>> Session::MemoryInfo() const {
  const OrtApi& api = runtime_->api();
  OrtMemoryInfo* memory = nullptr;
  OrtStatus* status =
      device() == Device::kCuda
          ? api.CreateMemoryInfo("Cuda", OrtDeviceAllocator, options_.cuda.device, OrtMemTypeDefault, &memory)
          : api.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory);
  TRUNKLINE_RETURN_IF_FAILED(Take(api, status, Code::kDevice, "memory"));
  return Handle<OrtMemoryInfo>(&api, memory);
}

Status Session::RunFailure(OrtStatus* status, const RunOptions* options) const {
  Status failure = Take(runtime_->api(), status, Code::kInference, name_);
  if (failure.ok() || options == nullptr || !options->terminated()) return failure;
  return Status(Code::kCancelled, name_ + " was stopped");
}

OrtStatus* Session::RunOn(OrtSession* session, std::span<const Input> inputs, std::span<const Output> outputs,
                          const RunOptions* options) const {
  std::array<const char*, kMaxTensors> input_names;
  std::array<const OrtValue*, kMaxTensors> input_values;
  std::array<const char*, kMaxTensors> output_names;
  std::array<OrtValue*, kMaxTensors> output_values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    input_names[i] = inputs[i].name;
    input_values[i] = inputs[i].tensor->get();
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    output_names[i] = outputs[i].name;
    output_values[i] = outputs[i].tensor->get();
  }
  const OrtApi& api = runtime_->api();
  runtime_->CountRun();
  OrtStatus* status =
      api.Run(session, options == nullptr ? nullptr : options->get(), input_names.data(), input_values.data(),
              inputs.size(), output_names.data(), outputs.size(), output_values.data());
  if (status != nullptr) return status;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (output_values[i] != outputs[i].tensor->get()) {
      *outputs[i].tensor = Tensor(Handle<OrtValue>(&api, output_values[i]));
    }
  }
  return nullptr;
}

Status Session::Run(std::span<const Input> inputs, std::span<const Output> outputs,
                    const RunOptions* options) const {
  if (inputs.size() > kMaxTensors || outputs.size() > kMaxTensors) {
    return Status(Code::kInvalidArgument, name_ + ": too many tensors in one run");
  }
  OrtSession* const session = get();
  OrtStatus* status = RunOn(session, inputs, outputs, options);
  if (status == nullptr) return base::Ok();
  const Status failure = RunFailure(status, options);
  if (failure.code() == Code::kCancelled || device() != Device::kCuda) {
    // Another thread may have replaced the session during this run.
    if (failure.code() == Code::kCancelled || session == get()) return failure;
  }
  OrtSession* const replacement = Replacement();
  if (replacement == nullptr) return failure;
  status = RunOn(replacement, inputs, outputs, options);
  if (status != nullptr) return RunFailure(status, options);
  Replace(session, failure);
  return base::Ok();
}

void Session::LeaveGpu(const Status& failure) const {
  if (!on_gpu() || Replacement() == nullptr) return;
  Replace(session_.get(), failure);
}

OrtSession* Session::Replacement() const {
  std::lock_guard lock(replacement_mutex_);
  if (!replacement_ && !path_.empty()) {
    auto opened = Create({name_, path_.c_str(), {}}, options_, false, nullptr);
    if (opened.ok()) replacement_ = std::move(*opened);
  }
  return replacement_.get();
}

void Session::Replace(OrtSession* failed, const Status& reason) const {
  if (!active_.compare_exchange_strong(failed, replacement_.get(), std::memory_order_acq_rel)) return;
  placement_->FellBack("the GPU failed while the model ran: " + reason.message());
}

}  // namespace trunkline::onnx
