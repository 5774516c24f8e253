// An open model and its runs.
//
//   TRUNKLINE_ASSIGN_OR_RETURN(auto runtime, onnx::Runtime::Load({.library = path}));
//   TRUNKLINE_ASSIGN_OR_RETURN(auto session, onnx::Session::Open(runtime, "silero.onnx", {}));
//   TRUNKLINE_ASSIGN_OR_RETURN(auto input, onnx::Tensor::View<float>(*runtime, samples, shape));
//   onnx::Tensor probability;                                  // empty: the runtime allocates it
//   const onnx::Input inputs[] = {{"input", &input}, …};
//   const onnx::Output outputs[] = {{"output", &probability}, …};
//   TRUNKLINE_RETURN_IF_FAILED(session->Run(inputs, outputs));
//
// Run is thread-safe. Nothing here is for a media thread: inference belongs to the pool
// (engine/inference_pool.h), except models of well under a millisecond.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "onnx/handle.h"
#include "onnx/placement.h"
#include "onnx/runtime.h"
#include "onnx/tensor.h"

namespace trunkline::onnx {

struct CudaSettings {
  int device = 0;
  // Bytes that one session's arena may take on the device; 0 leaves it to the runtime.
  uint64_t memory = 0;
  // "HEURISTIC", "EXHAUSTIVE" or "DEFAULT": how the kernel of a convolution is chosen for a new shape.
  std::string convolution_search = "HEURISTIC";
};

struct SessionOptions {
  // Threads inside one operator, including the calling thread; 0 uses the runtime's shared pool.
  int threads = 1;
  // Spinning threads answer a little sooner and occupy a core.
  bool spin = false;
  // kAuto opens CUDA when the build has it. kCuda and kAuto fall back to the CPU: see
  // Session::fallback().
  Device device = Device::kCpu;
  CudaSettings cuda = {};
  // Counts the nodes by provider while the graph is opened; a session on a GPU always counts
  // them.
  bool count_nodes = false;
  // Freed memory stays in the arena for the next run. Without it, memory is freed after each run, for
  // models that run rarely.
  bool arena = true;
  // The runtime plans one block of memory for a known shape; off where shapes change with every
  // run.
  bool memory_pattern = false;
  // Entries of the session's own configuration, such as {"session.disable_prepacking", "1"}.
  std::vector<std::pair<std::string, std::string>> entries = {};
};

struct TensorInfo {
  std::string name;
  ElementType type;
  // -1 where the model leaves a dimension open.
  std::vector<int64_t> shape = {};
};

struct Input {
  const char* name;
  const Tensor* tensor;
};

struct Output {
  const char* name;
  // An empty tensor is allocated by the runtime; otherwise the result is written into it.
  Tensor* tensor;
};

// Lets another thread stop a run. One object belongs to one run at a time.
class RunOptions {
 public:
  static base::Result<std::unique_ptr<RunOptions>> Create(const Runtime& runtime);

  // Callable from any thread: the run with these options ends before its next node, with kCancelled.
  void Terminate();
  // Makes the options usable again after Terminate.
  void Reset();
  bool terminated() const { return terminated_.load(std::memory_order_acquire); }

  const OrtRunOptions* get() const { return options_.get(); }

 private:
  explicit RunOptions(Handle<OrtRunOptions> options) : options_(std::move(options)) {}
  Handle<OrtRunOptions> options_;
  std::atomic<bool> terminated_{false};
};

class Session {
 public:
  // kNotFound: no such file. kBadModel: it cannot be opened.
  static base::Result<std::unique_ptr<Session>> Open(std::shared_ptr<Runtime> runtime,
                                                     const std::string& path, const SessionOptions& options);
  // Opens a model in memory; the bytes are not needed afterwards.
  static base::Result<std::unique_ptr<Session>> OpenBytes(std::shared_ptr<Runtime> runtime,
                                                          base::ByteView model,
                                                          const SessionOptions& options);

  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The file sizes of all open models of this process. What the runtime and its runs allocate beside them
  // counts as malloc's.
  static size_t open_bytes();

  const Runtime& runtime() const { return *runtime_; }
  const std::shared_ptr<Runtime>& shared_runtime() const { return runtime_; }
  const std::vector<TensorInfo>& inputs() const { return inputs_; }
  const std::vector<TensorInfo>& outputs() const { return outputs_; }
  // Returns null when there is none of this name.
  const TensorInfo* input(std::string_view name) const;
  const TensorInfo* output(std::string_view name) const;
  // Returns kBadModel with the missing name unless the model has all of these.
  base::Status Require(std::span<const char* const> inputs, std::span<const char* const> outputs) const;

  // The device after any fallback.
  Device device() const { return placement_->report().device; }
  bool on_gpu() const { return on_gpu_ && get() == session_.get(); }
  // Why it does not run on CUDA although that was requested, or tried for kAuto; otherwise empty.
  std::string fallback() const {
    const PlacementReport report = placement_->report();
    return report.failed ? report.reason : "";
  }
  const std::shared_ptr<Placement>& placement() const { return placement_; }

  // kCancelled when `options` was terminated; kInference with the runtime's message for any other failure. A run that fails
  // on a GPU is repeated on the CPU; when that succeeds, the session stays there.
  base::Status Run(std::span<const Input> inputs, std::span<const Output> outputs,
                   const RunOptions* options = nullptr) const;

  // Runs on the CPU from now on, because the GPU has failed in a run that IoBinding or another session made.
  void LeaveGpu(const base::Status& failure) const;

  // The memory of the device that it runs on.
  base::Result<Handle<OrtMemoryInfo>> MemoryInfo() const;

  OrtSession* get() const { return active_.load(std::memory_order_acquire); }

 private:
  friend class IoBinding;
  struct Source;
  Session() = default;
  static base::Result<std::unique_ptr<Session>> OpenSource(std::shared_ptr<Runtime> runtime,
                                                           const Source& source,
                                                           const SessionOptions& options);
  base::Result<Handle<OrtSession>> Create(const Source& source, const SessionOptions& options, bool cuda,
                                          NodeCounts* counts) const;
  base::Status Describe();
  OrtStatus* RunOn(OrtSession* session, std::span<const Input> inputs, std::span<const Output> outputs,
                   const RunOptions* options) const;
  // Returns null when there is no session on the CPU that replaces the one on the GPU.
  OrtSession* Replacement() const;
  void Replace(OrtSession* failed, const base::Status& reason) const;
  base::Status RunFailure(OrtStatus* status, const RunOptions* options) const;

  std::shared_ptr<Runtime> runtime_;
  Handle<OrtSession> session_;
  // The session that runs are made on: `session_`, or its replacement on the CPU.
  mutable std::atomic<OrtSession*> active_{nullptr};
  mutable std::mutex replacement_mutex_;
  mutable Handle<OrtSession> replacement_;
  std::string name_;
  std::string path_;  // a model in memory has none, and no replacement
  SessionOptions options_;
  size_t bytes_ = 0;     // counted in open_bytes()
  bool on_gpu_ = false;  // the device of `session_`
  std::shared_ptr<Placement> placement_;
  std::vector<TensorInfo> inputs_;
  std::vector<TensorInfo> outputs_;
};

// Opens a model by its name in the manifest, "whisper-base/encoder.onnx", for the classes of
// models.
using SessionOpener =
    std::function<base::Result<std::unique_ptr<Session>>(const std::string& name, const SessionOptions&)>;

// Inputs and outputs that are bound once and run many times; on a GPU, caches stay on the device between
// runs.
class IoBinding {
 public:
  static base::Result<std::unique_ptr<IoBinding>> Create(const Session& session);

  base::Status BindInput(const char* name, const Tensor& tensor);
  base::Status BindOutput(const char* name, const Tensor& tensor);
  // The runtime allocates the result on the session's device if `on_device`, else on the CPU.
  base::Status BindOutput(const char* name, bool on_device);
  void ClearInputs();
  void ClearOutputs();
  base::Status Run(const RunOptions* options = nullptr);
  // The results in the order in which they were bound.
  base::Result<std::vector<Tensor>> Outputs() const;

 private:
  IoBinding(const Session& session, Handle<OrtIoBinding> binding, Handle<OrtMemoryInfo> device_memory)
      : session_(session), binding_(std::move(binding)), device_memory_(std::move(device_memory)) {}
  const Session& session_;
  Handle<OrtIoBinding> binding_;
  Handle<OrtMemoryInfo> device_memory_;
};

}  // namespace trunkline::onnx
