// The report of `doctor` about the inference library and the device, without an engine.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "engine/config.h"

namespace trunkline::engine {

struct LibraryReport {
  base::Status status;
  std::string version;
  // The providers that the library was built with; ProbeCuda checks whether a device works.
  std::vector<std::string> providers;
};

LibraryReport InspectLibrary(const std::string& library);

// Ok when a session opens and runs on the GPU; otherwise kDevice with the reason.
base::Status ProbeCuda(const std::string& library, int device);

// Opens every graph of `config.models` as the engine would, counts its nodes and copies, and closes it again.
std::vector<onnx::PlacementReport> InspectModels(const EngineConfig& config);

}  // namespace trunkline::engine
