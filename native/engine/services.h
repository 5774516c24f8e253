// The resources that a kind prepares itself with.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

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

  // Opens a model on the device where it is quickest, as the table and the configuration say (engine/device_table.h).
  // `options.device` and `options.cuda` are the engine's.
  base::Result<std::unique_ptr<onnx::Session>> OpenModel(const std::string& name,
                                                         onnx::SessionOptions options = {});
  // The same for a file that is not in the manifest; its model is reported as `name`.
  base::Result<std::unique_ptr<onnx::Session>> OpenFile(const std::string& name, const std::string& path,
                                                        onnx::SessionOptions options = {});
  // Returns whether the GPU would be tried for this model.
  bool TriesGpu(const std::string& name);
  // Reports the model no longer: it was closed.
  void Forget(const std::string& name);
  // OpenModel, for the classes of models. It must not outlive these services.
  onnx::SessionOpener opener() {
    return [this](const std::string& name, const onnx::SessionOptions& options) {
      return OpenModel(name, options);
    };
  }
  // Opens a model's forms for a GPU with `make`, whose opener refuses to open them on the processor, where the
  // model's own forms are quicker. Null where a file is not there or no GPU serves; the placement says why.
  // `name`: the first of them.
  template <typename Form>
  std::shared_ptr<Form> OpenGpuForm(
      const onnx::SessionOpener& open, const std::string& name,
      const std::function<base::Result<std::shared_ptr<Form>>(const onnx::SessionOpener&)>& make) {
    if (!TriesGpu(name)) return nullptr;
    std::vector<std::shared_ptr<onnx::Placement>> placements;
    auto form =
        make([&](const std::string& file,
                 const onnx::SessionOptions& options) -> base::Result<std::unique_ptr<onnx::Session>> {
          TRUNKLINE_ASSIGN_OR_RETURN(auto session, open(file, options));
          placements.push_back(session->placement());
          if (session->device() == onnx::Device::kCuda) return session;
          return base::Status(base::Code::kDevice, session->fallback());
        });
    if (form.ok()) return *form;
    for (const auto& placement : placements) {
      if (!placement->report().failed) placement->FellBack("it is not used: " + form.status().message());
    }
    return nullptr;
  }
  // Returns how a GPU gathers the work of many calls.
  onnx::DeviceScheduler::Settings scheduler_settings() const;
  // Adds models that another engine of this process has opened and shares.
  void Share(const std::vector<std::shared_ptr<onnx::Placement>>& placements);

  // No model is opened from now on: a kind in preparation ends after its current session.
  void Stop() { stopped_.store(true, std::memory_order_relaxed); }

  // "kind.setting" of the configuration; empty when it is absent.
  std::string setting(const std::string& name) const;

  std::vector<onnx::PlacementReport> placements() const;
  // The device of the sessions: kCuda as soon as one is on a GPU.
  onnx::Device device() const;
  // Why a session is not on the GPU, when it was requested or others are; otherwise empty.
  std::string device_fallback() const;
  // Called on any thread when a model is opened or its device has failed. Set before the first model is opened.
  void OnPlacement(onnx::Placement::Listener listener) {
    listener_ = std::make_shared<const onnx::Placement::Listener>(std::move(listener));
  }

 private:
  const EngineConfig config_;
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;
  std::shared_ptr<onnx::Runtime> runtime_;
  std::map<std::string, std::shared_ptr<onnx::Placement>> placements_;
  std::shared_ptr<const onnx::Placement::Listener> listener_;

  std::vector<std::shared_ptr<onnx::Placement>> Noted() const;
  void Note(const std::shared_ptr<onnx::Placement>& placement);
  // The device that is tried for a model, and the reason for it.
  std::pair<onnx::Device, std::string> DeviceFor(const std::string& name, const onnx::Runtime& runtime) const;
};

}  // namespace trunkline::engine
