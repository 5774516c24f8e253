// What `doctor` prints about the inference library, for the binding, which may not look into native/onnx
// itself.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace trunkline::engine {

struct RuntimeReport {
  base::Status status;
  std::string version;
  std::vector<std::string> providers;
};

// Opens the library (the default one for an empty path) and says what it is. Not for the realtime path.
RuntimeReport DescribeRuntime(const std::string& library);

}  // namespace trunkline::engine
