// Opens the models of this machine's cache by their names in the manifest, on the CPU.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "onnx/onnx.h"
#include "test/support/files.h"

namespace trunkline::test {

inline onnx::SessionOpener ModelOpener(std::shared_ptr<onnx::Runtime> runtime) {
  return [runtime = std::move(runtime)](const std::string& name, const onnx::SessionOptions& options) {
    return onnx::Session::Open(runtime, ModelFile(name), options);
  };
}

}  // namespace trunkline::test
