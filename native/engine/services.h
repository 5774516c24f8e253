// What a kind may use while it makes itself ready.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "engine/config.h"
#include "onnx/onnx.h"

namespace trunkline::engine {

// Thread-safe: kinds prepare side by side. Not for the realtime path.
class Services {
 public:
  explicit Services(EngineConfig config) : config_(std::move(config)) {}

  const EngineConfig& config() const { return config_; }

  // The inference library; loaded by the first who asks, and the same for all.
  base::Result<std::shared_ptr<onnx::Runtime>> runtime();

  // The path of a model's file, by its name in the manifest ("silero-vad/silero_vad.onnx"). kNotReady, with
  // the name, for a file that set-up has not fetched.
  base::Result<std::string> model(const std::string& name) const;

  // Opens a model on the engine's device. `options.device` and `cuda_device` are the engine's, unless
  // `cpu_only`: for models that are too small to be worth the way to a GPU.
  base::Result<std::unique_ptr<onnx::Session>> OpenModel(const std::string& name,
                                                         onnx::SessionOptions options = {},
                                                         bool cpu_only = false);

  // From now on no model is opened: a kind that is still being prepared ends after the session it opens now.
  void Stop() { stopped_.store(true, std::memory_order_relaxed); }

  // "kind.setting" of the configuration; empty where it is absent.
  std::string setting(const std::string& name) const;

  // Where sessions were opened: kCuda as soon as one is on a GPU.
  onnx::Device device() const;
  // Why a session is not on the GPU, where that was asked for or others are; empty otherwise.
  std::string device_fallback() const;

 private:
  const EngineConfig config_;
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;
  std::shared_ptr<onnx::Runtime> runtime_;
  onnx::Device device_ = onnx::Device::kCpu;
  bool cuda_failed_ = false;
  std::string device_fallback_;
};

}  // namespace trunkline::engine
