#include "onnx/handle.h"

#include "onnx/ort_abi.h"

namespace trunkline::onnx {

void Release(const OrtApi& api, OrtEnv* object) {
  api.ReleaseEnv(object);
}
void Release(const OrtApi& api, OrtMemoryInfo* object) {
  api.ReleaseMemoryInfo(object);
}
void Release(const OrtApi& api, OrtIoBinding* object) {
  api.ReleaseIoBinding(object);
}
void Release(const OrtApi& api, OrtAllocator* object) {
  api.ReleaseAllocator(object);
}
void Release(const OrtApi& api, OrtSession* object) {
  api.ReleaseSession(object);
}
void Release(const OrtApi& api, OrtValue* object) {
  api.ReleaseValue(object);
}
void Release(const OrtApi& api, OrtRunOptions* object) {
  api.ReleaseRunOptions(object);
}
void Release(const OrtApi& api, OrtTypeInfo* object) {
  api.ReleaseTypeInfo(object);
}
void Release(const OrtApi& api, OrtTensorTypeAndShapeInfo* object) {
  api.ReleaseTensorTypeAndShapeInfo(object);
}
void Release(const OrtApi& api, OrtSessionOptions* object) {
  api.ReleaseSessionOptions(object);
}
void Release(const OrtApi& api, OrtThreadingOptions* object) {
  api.ReleaseThreadingOptions(object);
}
void Release(const OrtApi& api, OrtCUDAProviderOptionsV2* object) {
  api.ReleaseCUDAProviderOptions(object);
}

}  // namespace trunkline::onnx
