// The door of the engine: slots, lanes, the pool, jobs, and the verbs of the boundary. It knows no kind of lane or job,
// and no Node: the binding is a thin layer over this class, and tests drive it without.
//
// All methods are for one thread, the "JavaScript thread", but those that say otherwise. Nothing throws.
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
#include "engine/services.h"  // IWYU pragma: export
#include "engine/slot_table.h"
#include "engine/wake_gate.h"

namespace trunkline::engine {

// The least that a buffer for Drain must hold: the largest record of any lane and the headers.
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
};

// Bytes, by whom they belong to.
struct MemoryStats {
  size_t jobs = 0;       // granted to jobs that run
  size_t generator = 0;  // of speech: its weights, and the rows of what is being spoken
  size_t models = 0;     // that are open, as large as their files
  size_t rings = 0;      // of the lanes, taken from the system once for all that will be
  base::Heap heap;       // malloc's, all threads of the process together
};

// What crossed the boundary so far.
struct Traffic {
  uint64_t pushed = 0;
  uint64_t refused = 0;  // pushes that found no room
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
  // `wake` is called, on a thread of the engine's own, when Drain has something after it had nothing.
  Engine(EngineConfig config, Kinds kinds, std::function<void()> wake,
         std::shared_ptr<base::Clock> clock = nullptr);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  base::Result<LaneId> Open(std::string_view kind, base::ByteView options);
  // Whether a lane that may be opened either way is to be opened with `lighter`: it costs less, and the machine
  // is under load, or has no room left for the other.
  bool GivesWay(std::string_view kind, base::ByteView options, base::ByteView lighter);
  // kOk, kFull, kStale, kClosed. kInvalidArgument: larger than the lane could ever take.
  base::Code Push(LaneId id, base::ByteView audio);
  // A carrier's JSON message: see engine/carrier_json.h. kNotMedia: well, but without audio for this side.
  base::Code PushCarrierJson(LaneId id, base::ByteView message);
  base::Code Control(LaneId id, uint16_t verb, base::ByteView body);
  // From now on what each writes as audio is what the other takes in; where a lane `tells`, JavaScript gets its
  // audio too. A lane that was joined with another one no longer is. kFull: it was joined too often.
  base::Code Join(LaneId first, LaneId second, bool first_observed, bool second_observed);
  // The lane is joined with nobody.
  base::Code Part(LaneId id);
  // Clean: the lane says what it has to say first. Otherwise it is dropped at the next tick. `closed` follows
  // in any case.
  base::Code Close(LaneId id, bool clean);

  // Before Drain, when woken: see WakeGate::Clear.
  void ClearWake() { gate_.Clear(); }
  // The bytes used of `buffer` (at least kMinDrainBytes); 0 when there was nothing. The layout is in
  // engine/records.h.
  size_t Drain(base::MutableBytes buffer);

  // The job's number.
  base::Result<uint32_t> Submit(std::string_view kind, base::ByteView options, std::vector<uint8_t> input);
  base::Code Cancel(uint32_t job);
  bool Take(uint32_t job, Chunk& chunk) { return jobs_.Take(job, chunk); }

  // Ends everything and joins every thread. Every verb answers kClosed afterwards.
  void Destroy();
  bool destroyed() const { return destroyed_; }
  // No lane, no job, and no kind that is still being prepared.
  bool idle() const;

  EngineStats stats() const;
  std::vector<KindReport> kinds() const;
  Services& services() { return services_; }

  // For an engine without threads (media_threads = 0).
  void Tick();
  bool RunTask() { return pool_.RunOne(); }

 private:
  class Preparation;
  class Settling;

  void Prepare();
  // One more kind is.
  void Prepared();
  uint32_t Limit() const;
  // Of a lane that is opened now; nothing where none can be.
  std::optional<uint32_t> CostOf(std::string_view kind, base::ByteView options);
  void Recount(Slot& slot, uint16_t verb, base::ByteView body);
  MediaLoop& LoopOf(uint32_t slot) { return *loops_[slot % loops_.size()]; }
  Preparation* LanePreparation(std::string_view name, size_t& index);
  Preparation* JobPreparation(std::string_view name, size_t& index);
  base::Code PushInput(LaneId id, InputKind kind, uint16_t verb, base::ByteView bytes);
  bool DrainSlot(PackedWriter& writer, uint32_t index);
  void Separate(Slot& slot);

  std::shared_ptr<base::Clock> clock_;
  Services services_;
  Kinds kinds_;
  base::BlockPool memory_;  // of the rings of every lane
  SlotTable slots_;
  Notices notices_;
  WakeGate gate_;
  InferencePool pool_;
  JobTable jobs_;
  std::vector<std::unique_ptr<MediaLoop>> loops_;
  std::vector<std::unique_ptr<Preparation>> preparations_;  // lane kinds, then job kinds
  std::vector<std::unique_ptr<Settling>> settlings_;        // of the lane kinds
  std::atomic<size_t> unprepared_{0};
  std::vector<uint8_t> carrier_audio_;
  std::vector<uint8_t> carrier_silence_;  // of u-law
  std::vector<uint32_t> live_by_kind_;
  Admission admission_;
  bool destroyed_ = false;
  Traffic traffic_;
};

}  // namespace trunkline::engine
