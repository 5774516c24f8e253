// Prepares one kind on the pool and stores the result.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "engine/engine.h"

namespace trunkline::engine {

class Engine::Preparation final : public Task {
 public:
  Preparation(std::string name, std::function<base::Status()> prepare, std::function<void()> ended,
              Notices& notices, WakeGate& gate)
      : name_(std::move(name)),
        prepare_(std::move(prepare)),
        ended_(std::move(ended)),
        notices_(notices),
        gate_(gate) {}

  Step Run() override;
  void Finished() override;

  const std::string& name() const { return name_; }
  Readiness readiness() const { return readiness_.load(std::memory_order_acquire); }
  // Ok when ready; otherwise the reason.
  base::Status status() const;

 private:
  const std::string name_;
  const std::function<base::Status()> prepare_;
  const std::function<void()> ended_;
  Notices& notices_;
  WakeGate& gate_;
  base::Status status_;  // written before readiness_
  std::atomic<Readiness> readiness_{Readiness::kPreparing};
};

// Settles a lane kind once all kinds are prepared, in steps that yield to all other work.
class Engine::Settling final : public Task {
 public:
  explicit Settling(LaneKind& kind) : kind_(kind) {}

  Step Run() override;
  void Finished() override {}

 private:
  LaneKind& kind_;
};

}  // namespace trunkline::engine
