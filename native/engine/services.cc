#include "engine/services.h"

#include <algorithm>
#include <cstdlib>

#include "engine/device_table.h"

namespace trunkline::engine {

using base::Code;
using base::Result;
using base::Status;

Result<std::shared_ptr<onnx::Runtime>> Services::runtime() {
  std::lock_guard lock(mutex_);
  if (runtime_) return runtime_;
  if (config_.library.empty()) return Status(Code::kNotReady, "no inference library is configured");
  TRUNKLINE_ASSIGN_OR_RETURN(runtime_, onnx::Runtime::Load({.library = config_.library}));
  return runtime_;
}

Result<std::string> Services::model(const std::string& name) const {
  if (stopped_.load(std::memory_order_relaxed)) return Status(Code::kCancelled, "the engine was stopped");
  const auto found = config_.models.find(name);
  if (found == config_.models.end()) return Status(Code::kNotReady, "the model file " + name + " is missing");
  return found->second;
}

Result<std::unique_ptr<onnx::Session>> Services::OpenModel(const std::string& name,
                                                           onnx::SessionOptions options) {
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string path, model(name));
  return OpenFile(name, path, std::move(options));
}

Result<std::unique_ptr<onnx::Session>> Services::OpenFile(const std::string& name, const std::string& path,
                                                          onnx::SessionOptions options) {
  TRUNKLINE_ASSIGN_OR_RETURN(std::shared_ptr<onnx::Runtime> library, runtime());
  const auto [device, reason] = DeviceFor(name, *library);
  options.device = device;
  options.cuda = config_.cuda;
  TRUNKLINE_ASSIGN_OR_RETURN(auto session, onnx::Session::Open(std::move(library), path, options));
  session->placement()->Explain(name, session->fallback().empty() ? reason : "");
  Note(session->placement());
  return session;
}

bool Services::TriesGpu(const std::string& name) {
  const auto library = runtime();
  return library.ok() && DeviceFor(name, **library).first == onnx::Device::kCuda;
}

void Services::Forget(const std::string& name) {
  std::lock_guard lock(mutex_);
  placements_.erase(name);
}

std::pair<onnx::Device, std::string> Services::DeviceFor(const std::string& name,
                                                         const onnx::Runtime& runtime) const {
  const DeviceRule rule = DeviceRuleOf(name);
  const std::string why(rule.reason);
  if (config_.device == onnx::Device::kCpu) return {onnx::Device::kCpu, "the device is set to cpu"};
  if (rule.gain == GpuGain::kNone) return {onnx::Device::kCpu, why};
  if (config_.device == onnx::Device::kAuto) {
    if (rule.gain == GpuGain::kUnknown) return {onnx::Device::kCpu, why};
    if (!runtime.has_cuda()) return {onnx::Device::kCpu, "the inference library is no CUDA build"};
  }
  // After the GPU has failed once, later sessions do not try it again. The failure of a form that was never measured there
  // says nothing about the others.
  for (const auto& placement : Noted()) {
    const auto report = placement->report();
    if (report.failed && DeviceRuleOf(report.name).gain != GpuGain::kUnknown)
      return {onnx::Device::kCpu, report.reason};
  }
  return {onnx::Device::kCuda, why};
}

void Services::Note(const std::shared_ptr<onnx::Placement>& placement) {
  const onnx::PlacementReport report = placement->report();
  {
    std::lock_guard lock(mutex_);
    placements_[report.name] = placement;
  }
  if (!listener_) return;
  placement->Watch(listener_);
  (*listener_)(report);
}

void Services::Share(const std::vector<std::shared_ptr<onnx::Placement>>& placements) {
  for (const auto& placement : placements) Note(placement);
}

std::vector<std::shared_ptr<onnx::Placement>> Services::Noted() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<onnx::Placement>> all;
  for (const auto& [name, placement] : placements_) all.push_back(placement);
  return all;
}

std::vector<onnx::PlacementReport> Services::placements() const {
  std::vector<onnx::PlacementReport> reports;
  for (const auto& placement : Noted()) reports.push_back(placement->report());
  return reports;
}

std::string Services::setting(const std::string& name) const {
  const auto found = config_.settings.find(name);
  return found == config_.settings.end() ? std::string() : found->second;
}

onnx::DeviceScheduler::Settings Services::scheduler_settings() const {
  onnx::DeviceScheduler::Settings settings;
  if (const std::string wait = setting("device.gather_ms"); !wait.empty()) {
    settings.gather_nanos = std::clamp(std::atoll(wait.c_str()), 0LL, 100LL) * base::kNanosPerMilli;
  }
  if (const std::string most = setting("device.timeout_ms"); !most.empty()) {
    settings.max_run_nanos = std::clamp(std::atoll(most.c_str()), 1LL, 600'000LL) * base::kNanosPerMilli;
  }
  return settings;
}

onnx::Device Services::device() const {
  for (const auto& placement : Noted()) {
    if (placement->report().device == onnx::Device::kCuda) return onnx::Device::kCuda;
  }
  return onnx::Device::kCpu;
}

std::string Services::device_fallback() const {
  for (const auto& placement : Noted()) {
    const auto report = placement->report();
    if (report.failed) return report.reason;
  }
  return "";
}

}  // namespace trunkline::engine
