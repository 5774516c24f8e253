// The entry point of the engine: slots, lanes, the worker pool, jobs, and the verbs of the boundary. It knows
// no kind of lane or job, and no Node: the binding is a thin layer over this class, and tests use it
// directly.
//
// All methods belong to one thread, the "JavaScript thread", unless noted. Nothing throws.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/block_pool.h"
#include "base/clock.h"
#include "base/heap.h"
#include "base/status.h"
#include "engine/admission.h"
#include "engine/config.h"
#include "engine/inference_pool.h"
#include "engine/job_table.h"
#include "engine/kinds.h"           // IWYU pragma: export
#include "engine/library_report.h"  // IWYU pragma: export
#include "engine/loopback_lane.h"   // IWYU pragma: export
#include "engine/media_loop.h"
#include "engine/notices.h"
#include "engine/services.h"      // IWYU pragma: export
#include "engine/shared_model.h"  // IWYU pragma: export
#include "engine/slot_table.h"
#include "engine/wake_gate.h"

namespace trunkline::engine {

// The least size of a buffer for Drain: the largest record of any lane and the headers.
inline constexpr size_t kMinDrainBytes = kMaxRingBytes + 4096;

enum class Readiness : uint8_t { kPreparing, kReady, kFailed };

struct KindReport {
  std::string name;
  bool lane = false;
  Readiness readiness = Readiness::kPreparing;
  base::Status status;
  uint32_t cost = 0;
  uint32_t live = 0;
  std::vector<Count> counts;
  bool gpu_full = false;
};

struct MemoryStats {
  size_t jobs = 0;       // granted to jobs that run
  size_t generator = 0;  // the speech generator: its weights, and the rows of running syntheses
  size_t models = 0;     // open models, as large as their files
  size_t rings = 0;
  base::Heap heap;  // malloc's, all threads of the process together
};

struct Traffic {
  uint64_t pushed = 0;
  uint64_t refused = 0;  // pushes into a full ring
  uint64_t stale = 0;
  uint64_t drains = 0;
  uint64_t drained_bytes = 0;
};

struct EngineStats {
  MemoryStats memory;
  uint32_t slots = 0;
  uint32_t lanes = 0;
  uint32_t jobs = 0;
  uint32_t capacity = 0;
  uint32_t used = 0;
  Traffic traffic;
  uint64_t wakes = 0;
  MediaStats media;
  PoolStats pool;
};

class Engine {
 public:
  // `wake` is called, on the engine's own thread, when Drain has something after it had nothing.
  Engine(EngineConfig config, Kinds kinds, std::function<void()> wake,
         std::shared_ptr<base::Clock> clock = nullptr);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  base::Result<LaneId> Open(std::string_view kind, base::ByteView options);
  // Returns whether to open the lane with `lighter`, which costs less: the machine is under load, or the
  // other form does not fit.
  bool GivesWay(std::string_view kind, base::ByteView options, base::ByteView lighter);
  // kOk, kFull, kStale, kClosed. kInvalidArgument: larger than the lane could ever take.
  base::Code Push(LaneId id, base::ByteView audio);
  // Takes a carrier's JSON message: see engine/carrier_json.h. kNotMedia: valid, but without audio for this
  // side.
  base::Code PushCarrierJson(LaneId id, base::ByteView message);
  base::Code Control(LaneId id, uint16_t verb, base::ByteView body);
  // Connects the audio output of each lane to the other's input; the output of an `observed` lane also goes
  // to JavaScript. It replaces an earlier connection. kFull: the lane was joined too often.
  base::Code Join(LaneId first, LaneId second, bool first_observed, bool second_observed);
  base::Code Part(LaneId id);
  // A clean close lets the lane write its last events; otherwise the lane is dropped at the next tick.
  // `closed` follows in any case.
  base::Code Close(LaneId id, bool clean);

  // Called when woken, before Drain: see WakeGate::Clear.
  void ClearWake() { gate_.Clear(); }
  // Returns the bytes used of `buffer` (at least kMinDrainBytes); 0 when there was nothing. engine/records.h
  // has the layout.
  size_t Drain(base::MutableBytes buffer);

  base::Result<uint32_t> Submit(std::string_view kind, base::ByteView options, std::vector<uint8_t> input);
  base::Code Cancel(uint32_t job);
  bool Take(uint32_t job, Chunk& chunk) { return jobs_.Take(job, chunk); }

  // Ends everything and joins every thread. Every verb answers kClosed afterwards.
  void Destroy();
  bool destroyed() const { return destroyed_; }
  // Returns whether there is no lane, no job, and no kind that is still being prepared.
  bool idle() const;

  EngineStats stats() const;
  std::vector<KindReport> kinds() const;
  Services& services() { return services_; }

  // Used by an engine without threads (media_threads = 0).
  void Tick();
  bool RunTask() { return pool_.RunOne() || pool_.AwaitResumed(); }

 private:
  class Preparation;
  class Settling;

  void Placed(const onnx::PlacementReport& report);
  void Prepare();
  void Prepared();
  uint32_t Limit() const;
  // Called when the cost of the open lanes has changed.
  void UpdateLoad();
  // The cost of a lane that is opened now; nothing where none can be.
  std::optional<uint32_t> CostOf(std::string_view kind, base::ByteView options);
  void Recount(Slot& slot, uint16_t verb, base::ByteView body);
  void SetCost(Slot& slot, uint32_t cost);
  // Keeps what a lane's cost depends on, so that it can be counted again when the GPU fails.
  void KeepPrice(Slot& slot, uint16_t verb, base::ByteView body);
  // After the GPU has failed, the processor carries the open lanes.
  void RecountAfterGpuFailure();
  MediaLoop& LoopOf(uint32_t slot) { return *loops_[slot % loops_.size()]; }
  Preparation* LanePreparation(std::string_view name, size_t& index);
  Preparation* JobPreparation(std::string_view name, size_t& index);
  base::Code PushInput(LaneId id, InputKind kind, uint16_t verb, base::ByteView bytes);
  bool DrainSlot(PackedWriter& writer, uint32_t index);
  void Separate(Slot& slot);

  std::shared_ptr<base::Clock> clock_;
  Services services_;
  Kinds kinds_;
  base::BlockPool memory_;
  SlotTable slots_;
  Notices notices_;
  WakeGate gate_;
  InferencePool pool_;
  JobTable jobs_;
  std::vector<std::unique_ptr<MediaLoop>> loops_;
  std::vector<std::unique_ptr<Preparation>> preparations_;  // lane kinds, then job kinds
  std::vector<std::unique_ptr<Settling>> settlings_;
  std::atomic<size_t> unprepared_{0};
  std::vector<uint8_t> carrier_audio_;
  std::vector<uint8_t> carrier_silence_;
  std::vector<uint32_t> live_by_kind_;
  Admission admission_;
  std::atomic<bool> gpu_failed_{false};  // It was set since the lanes were counted.
  bool destroyed_ = false;
  Traffic traffic_;
};

}  // namespace trunkline::engine
