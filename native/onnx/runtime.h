// The inference library, loaded at run time from a path. Not on the realtime path.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "onnx/handle.h"

namespace trunkline::onnx {

enum class Device { kAuto, kCpu, kCuda };
std::string_view DeviceName(Device device);

// Collects the runtime's log on this thread while a session is opened; one at a time for each
// thread.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  const std::vector<std::string>& lines() const { return lines_; }
  void Add(const char* line) { lines_.emplace_back(line); }

 private:
  std::vector<std::string> lines_;
};

struct RuntimeOptions {
  // libonnxruntime.so.*, of onnxruntime-node or of a CUDA build.
  std::string library;
  // Threads of the pool that sessions opened with `threads = 0` share. The calling thread takes part, so 1
  // means no thread of its own.
  int shared_threads = 1;
};

// A loaded library with its environment. Sessions and tensors keep it alive; the library is never unloaded,
// because its own threads and statics outlive it.
class Runtime {
 public:
  // kNotFound: no such file. kBadLibrary: not a library, or one without the C interface. kBadVersion: too
  // old.
  static base::Result<std::shared_ptr<Runtime>> Load(const RuntimeOptions& options);

  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  const std::string& library() const { return library_; }
  // "1.30.0"
  const std::string& version() const { return version_; }
  int shared_threads() const { return shared_threads_; }
  // "CPUExecutionProvider", "CUDAExecutionProvider", …: the providers of this build.
  const std::vector<std::string>& providers() const { return providers_; }
  bool has_cuda() const;
  // Checks the CUDA provider's files and loads NVIDIA's libraries that lie beside them, once. Returns kBadLibrary with the
  // file that cannot be loaded.
  const base::Status& PrepareCuda() const;

  const OrtApi& api() const { return *api_; }
  OrtEnv* env() const { return env_.get(); }
  const OrtMemoryInfo* cpu_memory() const { return cpu_memory_.get(); }
  // The number of model runs so far, for tests of the length of steps.
  uint64_t runs() const { return runs_.load(std::memory_order_relaxed); }
  void CountRun() const { runs_.fetch_add(1, std::memory_order_relaxed); }

 private:
  Runtime() = default;
  base::Status Start(int shared_threads);
  base::Status LoadCudaFiles() const;

  std::string library_;
  std::string version_;
  std::vector<std::string> providers_;
  mutable std::once_flag cuda_prepared_;
  mutable base::Status cuda_files_;
  int shared_threads_ = 1;
  const OrtApi* api_ = nullptr;
  Handle<OrtEnv> env_;
  Handle<OrtMemoryInfo> cpu_memory_;
  mutable std::atomic<uint64_t> runs_{0};
};

}  // namespace trunkline::onnx
