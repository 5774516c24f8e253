// Calls into the runtime's function table. Only the sources of this module include it.
#pragma once

#include <string_view>

#include "base/status.h"
#include "onnx/handle.h"
#include "onnx/ort_abi.h"

namespace trunkline::onnx {

// Converts the answer of a call: null is success, anything else becomes a Status and is released.
inline base::Status Take(const OrtApi& api, OrtStatus* status, base::Code code, std::string_view what) {
  if (status == nullptr) return base::Ok();
  std::string message(what);
  message.append(": ").append(api.GetErrorMessage(status));
  if (api.GetErrorCode(status) == ORT_NO_SUCHFILE) code = base::Code::kNotFound;
  api.ReleaseStatus(status);
  return base::Status(code, std::move(message));
}

// Ignores a failure that changes nothing for the caller.
inline void Drop(const OrtApi& api, OrtStatus* status) {
  if (status != nullptr) api.ReleaseStatus(status);
}

}  // namespace trunkline::onnx
