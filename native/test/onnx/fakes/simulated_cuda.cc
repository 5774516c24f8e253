// ONNX Runtime with a CUDA provider that is the CPU provider: for tests of everything around a device, on machines without one.
//
//   TRUNKLINE_TEST_CUDA_RUNTIME  the real library
//   TRUNKLINE_TEST_CUDA_FAULT    a file: while it exists, sessions on the device do what its first word says, with the
//                                     rest as the message: `open` fails to open, `run` fails to run, `later` fails to run after
//                                     the first run, `hang` does not return from a run until the file is gone
//
// It says that a session is on the device as the CUDA provider would, so that the engine reports, falls back and limits as it
// does there. What it computes is what the CPU provider computes.
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "onnx/ort_abi.h"

namespace {

const OrtApi* real = nullptr;
OrtApi table;
std::mutex mutex;
std::set<const void*> on_device;  // session options, sessions and bindings

void Mark(const void* object) {
  std::lock_guard lock(mutex);
  on_device.insert(object);
}
bool Marked(const void* object) {
  std::lock_guard lock(mutex);
  return on_device.contains(object);
}

std::string Fault(const std::string& kind) {
  const char* path = std::getenv("TRUNKLINE_TEST_CUDA_FAULT");
  std::ifstream file(path == nullptr ? "" : path);
  std::string word, message;
  if (!(file >> word) || word != kind) return "";
  std::getline(file, message);
  return message.empty() ? " the device failed" : message;
}

OrtStatus* Failure(const std::string& kind) {
  const std::string message = Fault(kind);
  return message.empty() ? nullptr : real->CreateStatus(ORT_EP_FAIL, message.c_str() + 1);
}

OrtStatus* BeforeRun(const void* object) {
  if (!Marked(object)) return nullptr;
  while (!Fault("hang").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  static std::atomic<int> runs{0};
  if (Fault("later").empty()) {
    runs = 0;
  } else if (runs++ > 0) {
    return Failure("later");
  }
  return Failure("run");
}

char cpu_name[] = "CPUExecutionProvider", cuda_name[] = "CUDAExecutionProvider";
char* names[] = {cuda_name, cpu_name};

OrtStatusPtr GetAvailableProviders(char*** out, int* count) {
  *out = names;
  *count = 2;
  return nullptr;
}
OrtStatusPtr ReleaseAvailableProviders(char**, int) {
  return nullptr;
}
OrtStatusPtr CreateCudaOptions(OrtCUDAProviderOptionsV2** out) {
  *out = reinterpret_cast<OrtCUDAProviderOptionsV2*>(new char);
  return nullptr;
}
OrtStatusPtr UpdateCudaOptions(OrtCUDAProviderOptionsV2*, const char* const*, const char* const*, size_t) {
  return nullptr;
}
void ReleaseCudaOptions(OrtCUDAProviderOptionsV2* options) {
  delete reinterpret_cast<char*>(options);
}
OrtStatusPtr AppendCuda(OrtSessionOptions* options, const OrtCUDAProviderOptionsV2*) {
  Mark(options);
  return nullptr;
}
void ReleaseSessionOptions(OrtSessionOptions* options) {
  {
    std::lock_guard lock(mutex);
    on_device.erase(options);
  }
  real->ReleaseSessionOptions(options);
}
void ReleaseSession(OrtSession* session) {
  {
    std::lock_guard lock(mutex);
    on_device.erase(session);
  }
  real->ReleaseSession(session);
}
template <typename Create>
OrtStatusPtr Opened(const OrtSessionOptions* options, OrtSession** out, Create create) {
  if (Marked(options)) {
    if (OrtStatus* failure = Failure("open")) return failure;
  }
  OrtStatus* status = create();
  if (status == nullptr && Marked(options)) Mark(*out);
  return status;
}
OrtStatusPtr CreateSession(const OrtEnv* env, const char* path, const OrtSessionOptions* options,
                           OrtSession** out) {
  return Opened(options, out, [&] { return real->CreateSession(env, path, options, out); });
}
OrtStatusPtr CreateSessionFromArray(const OrtEnv* env, const void* data, size_t size,
                                    const OrtSessionOptions* options, OrtSession** out) {
  return Opened(options, out, [&] { return real->CreateSessionFromArray(env, data, size, options, out); });
}
OrtStatusPtr Run(OrtSession* session, const OrtRunOptions* options, const char* const* input_names,
                 const OrtValue* const* inputs, size_t input_count, const char* const* output_names,
                 size_t output_count, OrtValue** outputs) {
  if (OrtStatus* failure = BeforeRun(session)) return failure;
  return real->Run(session, options, input_names, inputs, input_count, output_names, output_count, outputs);
}
OrtStatusPtr RunWithBinding(OrtSession* session, const OrtRunOptions* options, const OrtIoBinding* binding) {
  if (OrtStatus* failure = BeforeRun(session)) return failure;
  return real->RunWithBinding(session, options, binding);
}
// The device's memory is the processor's.
OrtStatusPtr CreateMemoryInfo(const char* name, OrtAllocatorType type, int id, OrtMemType memory,
                              OrtMemoryInfo** out) {
  if (std::strcmp(name, "Cuda") == 0)
    return real->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, out);
  return real->CreateMemoryInfo(name, type, id, memory, out);
}

const OrtApiBase* RealBase() {
  const char* path = std::getenv("TRUNKLINE_TEST_CUDA_RUNTIME");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto* base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
  return base == nullptr ? nullptr : base();
}

const OrtApi* GetApi(uint32_t version) {
  static const OrtApiBase* base = RealBase();
  real = base == nullptr ? nullptr : base->GetApi(version);
  if (real == nullptr) return nullptr;
  table = *real;
  table.GetAvailableProviders = GetAvailableProviders;
  table.ReleaseAvailableProviders = ReleaseAvailableProviders;
  table.CreateCUDAProviderOptions = CreateCudaOptions;
  table.UpdateCUDAProviderOptions = UpdateCudaOptions;
  table.ReleaseCUDAProviderOptions = ReleaseCudaOptions;
  table.SessionOptionsAppendExecutionProvider_CUDA_V2 = AppendCuda;
  table.ReleaseSessionOptions = ReleaseSessionOptions;
  table.ReleaseSession = ReleaseSession;
  table.CreateSession = CreateSession;
  table.CreateSessionFromArray = CreateSessionFromArray;
  table.Run = Run;
  table.RunWithBinding = RunWithBinding;
  table.CreateMemoryInfo = CreateMemoryInfo;
  return &table;
}
const char* GetVersionString() {
  static const OrtApiBase* base = RealBase();
  return base == nullptr ? "1.0.0" : base->GetVersionString();
}
const OrtApiBase kBase = {GetApi, GetVersionString};

}  // namespace

extern "C" __attribute__((visibility("default"))) const OrtApiBase* OrtGetApiBase() {
  return &kBase;
}
