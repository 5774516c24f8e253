#include "engine/services.h"

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
                                                           onnx::SessionOptions options, bool cpu_only) {
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string path, model(name));
  TRUNKLINE_ASSIGN_OR_RETURN(std::shared_ptr<onnx::Runtime> library, runtime());
  {
    // After the GPU has failed once, later sessions do not try it again.
    std::lock_guard lock(mutex_);
    options.device = cpu_only || cuda_failed_ ? onnx::Device::kCpu : config_.device;
  }
  options.cuda_device = config_.cuda_device;
  TRUNKLINE_ASSIGN_OR_RETURN(auto session, onnx::Session::Open(std::move(library), path, options));
  std::lock_guard lock(mutex_);
  if (session->device() == onnx::Device::kCuda) device_ = onnx::Device::kCuda;
  if (session->fallback().empty()) return session;
  cuda_failed_ = true;
  // With `auto`, a machine without a GPU is not degraded; one whose GPU failed half-way is.
  const bool expected = config_.device == onnx::Device::kCuda || device_ == onnx::Device::kCuda;
  if (expected && device_fallback_.empty()) device_fallback_ = session->fallback();
  return session;
}

std::string Services::setting(const std::string& name) const {
  const auto found = config_.settings.find(name);
  return found == config_.settings.end() ? std::string() : found->second;
}

onnx::Device Services::device() const {
  std::lock_guard lock(mutex_);
  return device_;
}

std::string Services::device_fallback() const {
  std::lock_guard lock(mutex_);
  return device_fallback_;
}

}  // namespace trunkline::engine
