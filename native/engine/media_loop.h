// Serves the lanes of one media thread: a tick every 10 ms on an absolute clock, and results of inference in
// between. Without lanes the thread sleeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/spsc_ring.h"
#include "engine/lane.h"
#include "engine/slot_table.h"
#include "engine/wake_gate.h"

namespace trunkline::engine {

struct MediaStats {
  uint64_t ticks = 0;
  // Ticks that were skipped because the one before took too long, or the machine was busy.
  uint64_t missed = 0;
  int64_t longest_nanos = 0;
  int64_t total_nanos = 0;
};

class MediaLoop {
 public:
  MediaLoop(const base::Clock& clock, SlotTable& slots, WakeGate& gate,
            std::span<const std::shared_ptr<LaneKind>> kinds, int64_t overflow_nanos);
  ~MediaLoop();

  // Starts the thread. Without it the owner calls Tick and RunCompletions: tests do.
  void Start(size_t index);
  void Stop();

  // JavaScript thread: this slot's lane is served from the next tick on.
  void Adopt(uint32_t slot);
  // Pool thread.
  void Complete(LaneTask& task);

  // Media thread.
  void Tick();
  void RunCompletions();

  MediaStats stats() const;

 private:
  struct Family {
    std::unique_ptr<LaneGroup> group;
    std::vector<LaneGroup::Member> members;
  };

  void Run();
  bool HasLanes() const;
  void TakeAdopted();
  void Begin(Family& family);
  void Serve(Family& family);
  void Settle(Family& family);
  void End(LaneGroup::Member member);
  void FreeEnded();

  const base::Clock& clock_;
  const int64_t started_;
  const int64_t overflow_nanos_;
  SlotTable& slots_;
  WakeGate& gate_;
  base::SpscRing<uint32_t> adopted_;
  TaskStack<LaneTask> completed_;
  std::vector<Family> families_;
  // Lanes that have finished and wait for their tasks.
  std::vector<LaneGroup::Member> ending_;
  bool wrote_ = false;
  uint64_t tick_ = 0;

  base::SystemClock alarm_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;

  std::atomic<uint64_t> ticks_{0};
  std::atomic<uint64_t> missed_{0};
  std::atomic<int64_t> longest_{0};
  std::atomic<int64_t> total_{0};
};

}  // namespace trunkline::engine
