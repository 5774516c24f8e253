// A lane kind for tests of the engine: each audio input goes through the pool, which turns it round.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>

#include "engine/lane.h"

namespace trunkline::test {

struct WorkKind final : engine::LaneKind {
  base::Status failure;
  std::atomic<int> cancelled{0};

  std::string name() const override { return "work"; }
  // Each step of settling finds a lane cheaper by ten.
  int steps_to_settle = 0;
  int settled = 0;
  uint32_t cost() const override { return 100 - 10 * static_cast<uint32_t>(settled); }
  uint32_t CostOf(const engine::Options& options) const override {
    return options.Flag("light") ? cost() / 2 : cost();
  }
  // Its verb 1 says what the lane is from then on.
  std::optional<uint32_t> CostAfter(uint16_t verb, base::ByteView body) const override {
    const auto options = engine::Options::Parse(body);
    if (verb != 1 || !options.ok()) return std::nullopt;
    return CostOf(*options);
  }
  bool Settle() override {
    if (settled == steps_to_settle) return false;
    ++settled;
    return true;
  }
  base::Status Prepare(engine::Services&) override { return failure; }
  base::Result<std::unique_ptr<engine::Lane>> Open(const engine::Options&) override;
};

class WorkLane final : public engine::Lane {
 public:
  explicit WorkLane(WorkKind& kind) : task_(kind) {}
  void Tick(engine::LaneIo& io) override {
    engine::Input input;
    while (!task_.in_flight() && io.Next(input)) {
      if (input.kind == engine::InputKind::kClose) io.Finish(base::Code::kOk);
      if (input.kind != engine::InputKind::kAudio) continue;
      task_.text.assign(base::AsText(input.bytes));
      io.Submit(task_, engine::Priority::kPartial, io.now());
    }
  }
  void CancelTasks() override { task_.Cancel(); }

 private:
  struct Reverse final : engine::LaneTask {
    explicit Reverse(WorkKind& k) : kind(k) {}
    Step Run() override {
      std::reverse(text.begin(), text.end());
      return Step::kDone;
    }
    void Done(engine::LaneIo& io) override {
      if (cancelled()) {
        ++kind.cancelled;
      } else {
        io.Write(engine::kAudioEvent, base::AsBytes(std::string_view(text)));
      }
    }
    WorkKind& kind;
    std::string text;
  };
  Reverse task_;
};

inline base::Result<std::unique_ptr<engine::Lane>> WorkKind::Open(const engine::Options&) {
  return std::unique_ptr<engine::Lane>(std::make_unique<WorkLane>(*this));
}

}  // namespace trunkline::test
