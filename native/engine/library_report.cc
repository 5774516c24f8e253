#include "engine/library_report.h"

#include <array>
#include <string_view>

#include "base/bytes.h"
#include "engine/services.h"
#include "onnx/onnx.h"

namespace trunkline::engine {

using base::Code;
using base::Status;

namespace {

// The smallest model there is: y = Identity(x), one float. (ONNX, IR version 8, opset 13.)
constexpr std::string_view kIdentity(
    "\x08\x08\x3a\x33\x0a\x10\x0a\x01\x78\x12\x01\x79\x22\x08Identity\x12\x01g\x5a\x0d\x0a\x01x\x12\x08\x0a"
    "\x06\x08"
    "\x01\x12\x02\x0a\x00\x62\x0d\x0a\x01y\x12\x08\x0a\x06\x08\x01\x12\x02\x0a\x00\x42\x04\x0a\x00\x10\x0d",
    61);

}  // namespace

LibraryReport InspectLibrary(const std::string& library) {
  auto runtime = onnx::Runtime::Load({.library = library});
  if (!runtime.ok()) return {runtime.status(), {}, {}};
  return {base::Ok(), (*runtime)->version(), (*runtime)->providers()};
}

Status ProbeCuda(const std::string& library, int device) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto runtime, onnx::Runtime::Load({.library = library}));
  TRUNKLINE_ASSIGN_OR_RETURN(
      auto session, onnx::Session::OpenBytes(runtime, base::AsBytes(kIdentity),
                                             {.device = onnx::Device::kCuda, .cuda = {.device = device}}));
  if (session->device() != onnx::Device::kCuda) return Status(Code::kDevice, session->fallback());
  std::array<float, 1> x{1}, y{};
  const std::array<int64_t, 1> shape{1};
  TRUNKLINE_ASSIGN_OR_RETURN(onnx::Tensor input, onnx::Tensor::View<float>(*runtime, x, shape));
  TRUNKLINE_ASSIGN_OR_RETURN(onnx::Tensor output, onnx::Tensor::View<float>(*runtime, y, shape));
  const onnx::Input inputs[] = {{"x", &input}};
  const onnx::Output outputs[] = {{"y", &output}};
  const Status ran = session->Run(inputs, outputs);
  return ran.ok() ? ran : Status(Code::kDevice, ran.message());
}

std::vector<onnx::PlacementReport> InspectModels(const EngineConfig& config) {
  Services services(config);
  std::vector<onnx::PlacementReport> reports;
  for (const auto& [name, path] : config.models) {
    auto session = services.OpenModel(name, {.count_nodes = true});
    reports.push_back(
        session.ok()
            ? (*session)->placement()->report()
            : onnx::PlacementReport{.name = name, .reason = session.status().ToString(), .failed = true});
  }
  return reports;
}

}  // namespace trunkline::engine
