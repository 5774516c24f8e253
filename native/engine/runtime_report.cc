#include "engine/runtime_report.h"

#include "onnx/runtime.h"

namespace trunkline::engine {

RuntimeReport DescribeRuntime(const std::string& library) {
  RuntimeReport report;
  auto runtime = onnx::Runtime::Load({.library = library});
  report.status = runtime.status();
  if (runtime.ok()) {
    report.version = (*runtime)->version();
    for (const std::string& provider : (*runtime)->providers()) report.providers.push_back(provider);
  }
  return report;
}

}  // namespace trunkline::engine
