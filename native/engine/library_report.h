// What `doctor` says about the inference library and the device, without an engine.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace trunkline::engine {

struct LibraryReport {
  base::Status status;
  std::string version;
  // What the build can try to open; whether a device answers is another question: ProbeCuda.
  std::vector<std::string> providers;
};

LibraryReport InspectLibrary(const std::string& library);

// Ok when a session really opens and runs on the GPU; otherwise kDevice with the reason.
base::Status ProbeCuda(const std::string& library, int device);

}  // namespace trunkline::engine
