// The resources that a kind prepares itself with.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "engine/config.h"
#include "onnx/onnx.h"

namespace trunkline::engine {

// Thread-safe, because kinds prepare concurrently. Not for the realtime path.
class Services {
 public:
  explicit Services(EngineConfig config) : config_(std::move(config)) {}

  const EngineConfig& config() const { return config_; }

  // The inference library, loaded on first use and shared.
  base::Result<std::shared_ptr<onnx::Runtime>> runtime();

  // Returns the path of a model's file by its name in the manifest ("silero-vad/silero_vad.onnx"), or
  // kNotReady with the name when setup has not fetched it.
  base::Result<std::string> model(const std::string& name) const;

  // Opens a model on the engine's device. `options.device` and `cuda_device` are the engine's, unless
  // `cpu_only`: for models too small to gain from a GPU.
  base::Result<std::unique_ptr<onnx::Session>> OpenModel(const std::string& name,
                                                         onnx::SessionOptions options = {},
                                                         bool cpu_only = false);

  // No model is opened from now on: a kind in preparation ends after its current session.
  void Stop() { stopped_.store(true, std::memory_order_relaxed); }

  // "kind.setting" of the configuration; empty when it is absent.
  std::string setting(const std::string& name) const;

  // The device of the sessions: kCuda as soon as one is on a GPU.
  onnx::Device device() const;
  // Why a session is not on the GPU, when it was requested or others are; otherwise empty.
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
