// A runtime from before version 17: it answers, but not with the table that is asked for.
#include "onnx/ort_abi.h"

namespace {
const OrtApi* GetApi(uint32_t) {
  return nullptr;
}
const char* GetVersionString() {
  return "1.9.0";
}
const OrtApiBase kBase = {GetApi, GetVersionString};
}  // namespace

extern "C" __attribute__((visibility("default"))) const OrtApiBase* OrtGetApiBase() {
  return &kBase;
}
