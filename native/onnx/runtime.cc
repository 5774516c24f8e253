#include "onnx/runtime.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "onnx/abi_call.h"
#include "onnx/library_file.h"

namespace trunkline::onnx {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr char kCudaProvider[] = "CUDAExecutionProvider";
constexpr char kCudaLibrary[] = "libonnxruntime_providers_cuda.so";
// Each library comes after those that it needs.
constexpr const char* kNvidiaLibraries[] = {"libcudart.so.13", "libnvJitLink.so.13", "libcublasLt.so.13",
                                            "libcublas.so.13", "libcurand.so.10",    "libcufft.so.12",
                                            "libnvrtc.so.13",  "libcudnn.so.9"};

thread_local LogCapture* capture = nullptr;

void Log(void*, OrtLoggingLevel, const char*, const char*, const char*, const char* message) {
  if (capture != nullptr && message != nullptr) capture->Add(message);
}

Result<const OrtApiBase*> OpenLibrary(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::is_regular_file(path, ignored)) {
    return Status(Code::kNotFound, "inference library: no file at '" + path + "'");
  }
  TRUNKLINE_RETURN_IF_FAILED(CheckLibraryFile(path));
  // Linux builds since 1.30 report each session to their vendor and store an identifier of the machine in the
  // home folder, unless this is set before they are loaded.
  setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  // RTLD_LOCAL keeps its symbols separate from another copy in the process.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Status(Code::kBadLibrary, "inference library '" + path + "' cannot be loaded: " + dlerror());
  }
  auto* get_base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
  if (get_base == nullptr) {
    dlclose(library);
    return Status(Code::kBadLibrary,
                  "'" + path + "' is a library, but not ONNX Runtime: OrtGetApiBase is missing");
  }
  const OrtApiBase* base = get_base();
  if (base == nullptr || base->GetApi == nullptr || base->GetVersionString == nullptr) {
    return Status(Code::kBadLibrary, "'" + path + "' returned no API from OrtGetApiBase");
  }
  return base;
}

// A build lists every provider that it supports; those in a library of their own work only where
// that file exists.
bool HasOwnLibrary(const std::string& runtime, const std::string& provider) {
  const char* name = provider == kCudaProvider                 ? kCudaLibrary
                     : provider == "TensorrtExecutionProvider" ? "libonnxruntime_providers_tensorrt.so"
                                                               : nullptr;
  if (name == nullptr) return true;
  std::error_code error;
  const std::filesystem::path sibling = std::filesystem::path(runtime).parent_path() / name;
  const std::filesystem::path real = std::filesystem::canonical(runtime, error).parent_path() / name;
  return std::filesystem::exists(sibling, error) || std::filesystem::exists(real, error);
}

std::vector<std::string> ListProviders(const OrtApi& api, const std::string& runtime) {
  char** names = nullptr;
  int count = 0;
  std::vector<std::string> list;
  OrtStatus* status = api.GetAvailableProviders(&names, &count);
  if (status != nullptr) {
    api.ReleaseStatus(status);
    return list;
  }
  list.assign(names, names + count);
  Drop(api, api.ReleaseAvailableProviders(names, count));
  std::erase_if(list, [&](const std::string& provider) { return !HasOwnLibrary(runtime, provider); });
  return list;
}

}  // namespace

std::string_view DeviceName(Device device) {
  switch (device) {
    case Device::kAuto:
      return "auto";
    case Device::kCpu:
      return "cpu";
    case Device::kCuda:
      return "cuda";
  }
  return "cpu";
}

Result<std::shared_ptr<Runtime>> Runtime::Load(const RuntimeOptions& options) {
  if (options.shared_threads < 1 || options.shared_threads > 256) {
    return Status(Code::kInvalidArgument, "shared_threads is 1 to 256");
  }
  TRUNKLINE_ASSIGN_OR_RETURN(const OrtApiBase* base, OpenLibrary(options.library));
  std::shared_ptr<Runtime> runtime(new Runtime());
  runtime->library_ = options.library;
  runtime->version_ = base->GetVersionString();
  runtime->api_ = base->GetApi(kOrtApiVersion);
  if (runtime->api_ == nullptr) {
    return Status(Code::kBadVersion, "'" + options.library + "' is ONNX Runtime " + runtime->version_ +
                                         "; version 1." + std::to_string(kOrtApiVersion) +
                                         " or later is needed");
  }
  TRUNKLINE_RETURN_IF_FAILED(runtime->Start(options.shared_threads));
  return runtime;
}

Status Runtime::Start(int shared_threads) {
  OrtThreadingOptions* threading_raw = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(*api_, api_->CreateThreadingOptions(&threading_raw), Code::kBadLibrary, "threading options"));
  Handle<OrtThreadingOptions> threading(api_, threading_raw);
  Drop(*api_, api_->SetGlobalIntraOpNumThreads(threading.get(), shared_threads));
  Drop(*api_, api_->SetGlobalInterOpNumThreads(threading.get(), 1));
  Drop(*api_, api_->SetGlobalSpinControl(threading.get(), 0));
  OrtEnv* env = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(
      Take(*api_,
           api_->CreateEnvWithCustomLoggerAndGlobalThreadPools(Log, nullptr, ORT_LOGGING_LEVEL_FATAL,
                                                               "trunkline", threading.get(), &env),
           Code::kBadLibrary, "environment"));
  env_ = Handle<OrtEnv>(api_, env);
  Drop(*api_, api_->DisableTelemetryEvents(env));
  OrtMemoryInfo* memory = nullptr;
  TRUNKLINE_RETURN_IF_FAILED(Take(*api_,
                                  api_->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory),
                                  Code::kBadLibrary, "memory description"));
  cpu_memory_ = Handle<OrtMemoryInfo>(api_, memory);
  providers_ = ListProviders(*api_, library_);
  shared_threads_ = shared_threads;
  return base::Ok();
}

const Status& Runtime::PrepareCuda() const {
  std::call_once(cuda_prepared_, [this] { cuda_files_ = LoadCudaFiles(); });
  return cuda_files_;
}

Status Runtime::LoadCudaFiles() const {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::path(library_).parent_path();
  if (!std::filesystem::exists(folder / kCudaLibrary, error)) {
    folder = std::filesystem::canonical(library_, error).parent_path();
  }
  // The runtime loads both itself, with a SIGBUS where one is cut off.
  for (const char* name : {"libonnxruntime_providers_shared.so", kCudaLibrary}) {
    TRUNKLINE_RETURN_IF_FAILED(CheckLibraryFile((folder / name).string()));
  }
  // The provider names NVIDIA's libraries without a path, so the loader takes those that are
  // loaded already. Libraries that do not lie beside it are the system's.
  for (const char* name : kNvidiaLibraries) {
    const std::string path = (folder / name).string();
    if (!std::filesystem::exists(path, error)) continue;
    TRUNKLINE_RETURN_IF_FAILED(CheckLibraryFile(path));
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
      return Status(Code::kBadLibrary, "inference library '" + path + "' cannot be loaded: " + dlerror());
    }
  }
  return base::Ok();
}

LogCapture::LogCapture() {
  capture = this;
}
LogCapture::~LogCapture() {
  capture = nullptr;
}

bool Runtime::has_cuda() const {
  return std::find(providers_.begin(), providers_.end(), kCudaProvider) != providers_.end();
}

}  // namespace trunkline::onnx
