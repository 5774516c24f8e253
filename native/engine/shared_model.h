// A model that kinds of several engines use. Not for the realtime path.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/services.h"

namespace trunkline::engine {

// Opens a model once for its files, library and device; its last user closes it. From any thread.
template <typename Model>
class SharedModel {
 public:
  using Shared = std::shared_ptr<const Model>;

  // `make` turns the sessions of the model's files, in their order, into a Result<Shared> or one of what becomes that.
  template <typename Make>
  base::Result<Shared> Open(Services& services, const std::vector<std::string>& names, Make make) {
    std::lock_guard lock(mutex_);
    const EngineConfig& config = services.config();
    std::string key = config.library + "|" + std::string(onnx::DeviceName(config.device));
    for (const std::string& name : names) {
      TRUNKLINE_ASSIGN_OR_RETURN(const std::string path, services.model(name));
      key += "|" + path;
    }
    Opened& opened = opened_[key];
    if (auto model = opened.model.lock()) {
      services.Share(opened.placements);
      return model;
    }
    std::vector<std::unique_ptr<onnx::Session>> sessions;
    std::vector<std::shared_ptr<onnx::Placement>> placements;
    for (const std::string& name : names) {
      TRUNKLINE_ASSIGN_OR_RETURN(auto session, services.OpenModel(name));
      placements.push_back(session->placement());
      sessions.push_back(std::move(session));
    }
    TRUNKLINE_ASSIGN_OR_RETURN(Shared model, make(std::move(sessions)));
    opened = {model, std::move(placements)};
    return model;
  }

 private:
  struct Opened {
    std::weak_ptr<const Model> model;
    std::vector<std::shared_ptr<onnx::Placement>> placements;
  };
  std::mutex mutex_;
  std::map<std::string, Opened> opened_;
};

}  // namespace trunkline::engine
