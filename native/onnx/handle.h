// Owners of the runtime's objects.
#pragma once

#include <utility>

struct OrtApi;
struct OrtEnv;
struct OrtStatus;
struct OrtMemoryInfo;
struct OrtIoBinding;
struct OrtSession;
struct OrtValue;
struct OrtRunOptions;
struct OrtTypeInfo;
struct OrtTensorTypeAndShapeInfo;
struct OrtSessionOptions;
struct OrtAllocator;
struct OrtThreadingOptions;
struct OrtCUDAProviderOptionsV2;

namespace trunkline::onnx {

void Release(const OrtApi& api, OrtEnv* object);
void Release(const OrtApi& api, OrtMemoryInfo* object);
void Release(const OrtApi& api, OrtIoBinding* object);
void Release(const OrtApi& api, OrtAllocator* object);
void Release(const OrtApi& api, OrtSession* object);
void Release(const OrtApi& api, OrtValue* object);
void Release(const OrtApi& api, OrtRunOptions* object);
void Release(const OrtApi& api, OrtTypeInfo* object);
void Release(const OrtApi& api, OrtTensorTypeAndShapeInfo* object);
void Release(const OrtApi& api, OrtSessionOptions* object);
void Release(const OrtApi& api, OrtThreadingOptions* object);
void Release(const OrtApi& api, OrtCUDAProviderOptionsV2* object);

template <typename T>
class Handle {
 public:
  Handle() = default;
  Handle(const OrtApi* api, T* object) : api_(api), object_(object) {}
  Handle(Handle&& other) noexcept
      : api_(std::exchange(other.api_, nullptr)), object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      Reset();
      api_ = std::exchange(other.api_, nullptr);
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }
  ~Handle() { Reset(); }

  T* get() const { return object_; }
  const OrtApi* api() const { return api_; }
  explicit operator bool() const { return object_ != nullptr; }

  void Reset() {
    if (object_ != nullptr) Release(*api_, object_);
    object_ = nullptr;
    api_ = nullptr;
  }

 private:
  const OrtApi* api_ = nullptr;
  T* object_ = nullptr;
};

}  // namespace trunkline::onnx
