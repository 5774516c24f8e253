// The device of a model, and the reason for it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "onnx/runtime.h"

namespace trunkline::onnx {

// The division of a graph by the runtime, which `doctor` and `/readyz` show.
struct NodeCounts {
  // Nodes by provider, without the part "ExecutionProvider". Empty when they were not counted.
  std::map<std::string, int> nodes;
  // The copies between the devices in each run.
  int copies = 0;
};

struct PlacementReport {
  // The manifest's name of the file, "whisper-base/encoder.onnx".
  std::string name;
  Device device = Device::kCpu;
  std::string reason;
  // A device was tried and does not work.
  bool failed = false;
  NodeCounts counts;
};

// Thread-safe, and shared by a session and everything that reports on it.
class Placement {
 public:
  using Listener = std::function<void(const PlacementReport&)>;

  explicit Placement(PlacementReport report) : report_(std::move(report)) {}

  PlacementReport report() const {
    std::lock_guard lock(mutex_);
    return report_;
  }
  void Explain(std::string name, std::string reason) {
    std::lock_guard lock(mutex_);
    report_.name = std::move(name);
    if (!reason.empty()) report_.reason = std::move(reason);
  }
  // Calls `listener` when the device fails, until its owner destroys it.
  void Watch(std::weak_ptr<const Listener> listener) {
    std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
  }
  void FellBack(std::string reason) {
    std::shared_ptr<const Listener> listener;
    {
      std::lock_guard lock(mutex_);
      report_.device = Device::kCpu;
      report_.reason = std::move(reason);
      report_.failed = true;
      report_.counts = {};
      listener = listener_.lock();
    }
    if (listener) (*listener)(report());
  }

 private:
  mutable std::mutex mutex_;
  PlacementReport report_;
  std::weak_ptr<const Listener> listener_;
};

}  // namespace trunkline::onnx
