// The interface of lane kinds: what a kind of lane implements, and what it gets.
//
// A kind (loopback, hear, omni, amd …) is a LaneKind, registered by name in binding/kinds.cc. It is a module
// of its own, native/lanes/<kind>, and may use every module below the engine.
//
//   JavaScript thread   LaneKind::Open makes the lane when a session opens. It allocates here, once for its
//                       life.
//   media thread        Lane::Tick, every 10 ms while the lane lives, and the results of its tasks in between
//                       (LaneTask::Done). All methods but the constructor and destructor run on one thread.
//                       REALTIME: no lock, no allocation, no file, no model that takes a millisecond.
//   pool threads        LaneTask::Run: inference. It may use the task's own fields and nothing of the lane.
//
// In one tick a lane
//   1. takes its input:             while (io.Next(input)) { input.kind, input.verb, input.bytes }, in order
//                                   of arrival
//   2. writes its events:           io.Write(type, bytes): never dropped; false: the outbox is full, try
//                                   on the next tick
//                                   io.WriteLatest(box, type, bytes): a newer one replaces the older
//                                   one, for partials
//   3. orders inference:            io.Submit(task, Priority::kPartial, io.now() + 200 ms)
//   4. ends:                        io.Finish(Code::kOk): the `closed` record follows all that it wrote
//
// Inputs
//   kAudio     bytes as they were pushed; the kind says which format
//   kControl   a verb with bytes: the verbs are the kind's own; packed options (engine/options.h) where they
//              are more than a number
//   kClose     JavaScript wants a clean end: flush, write the last events, Finish
//   kClear     from the lane that this one is joined with (Engine::Join): discard its audio that was not
//              played yet
//
// A close that must not wait never reaches the lane: the engine cancels its tasks and drops it. A lane that
// cannot write for EngineConfig::overflow_ms, because JavaScript does not drain, is closed with
// Code::kOverflow. Each task is owned by the lane that submits it and is reused. A lane is destroyed (on the
// JavaScript thread) only when none of its tasks is in flight, so a late result never finds another session
// in its slot.
//
// Batched stages: LaneKind::MakeGroup may give one LaneGroup per media thread; then the group is called once
// a tick with all lanes of the kind in place of each lane's Tick (voice activity of all lanes in one run of
// the model, for example).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/status.h"
#include "engine/options.h"
#include "engine/outbox.h"
#include "engine/records.h"
#include "engine/task.h"

namespace trunkline::engine {

inline constexpr int64_t kTickNanos = 10 * base::kNanosPerMilli;

struct Input {
  InputKind kind;
  uint16_t verb;
  // Valid until the next call of Next, or the end of the tick.
  base::ByteView bytes;
};

class LaneIo;

class LaneTask : public Task {
 public:
  // On the lane's media thread, soon after the last step of Run: read the results, write events, submit
  // again. Also called when it was cancelled (cancelled()) or threw (faulted()).
  virtual void Done(LaneIo& io) = 0;

  // True from Submit until Done is called.
  bool in_flight() const { return io_ != nullptr; }

 private:
  friend class LaneIo;
  friend class MediaLoop;
  void Finished() final;
  LaneIo* io_ = nullptr;
};

class Lane {
 public:
  virtual ~Lane() = default;
  virtual void Tick(LaneIo& io) = 0;
  // The lane is about to be dropped: cancel every task in flight. No Tick follows; Done follows for each of
  // them.
  virtual void CancelTasks() {}
};

class LaneGroup {
 public:
  struct Member {
    Lane* lane;
    LaneIo* io;
  };
  virtual ~LaneGroup() = default;
  virtual void Tick(std::span<const Member> members) = 0;
};

struct Count {
  const char* name;
  double value;
};

// The counts of a kind whose work runs on a GPU.
inline std::vector<Count> GpuCounts(const onnx::DeviceStats& stats) {
  return {{"gpu_batches_total", static_cast<double>(stats.batches)},
          {"gpu_batched_work_total", static_cast<double>(stats.works)},
          {"gpu_waiting", static_cast<double>(stats.waiting)},
          {"gpu_batch_seconds", static_cast<double>(stats.batch_nanos) * 1e-9}};
}

// The resources that a kind prepares itself with, defined in engine/services.h.
class Services;

struct LaneShape {
  // The size of the input ring. Audio leaves kControlReserve of it free, so that a control is not refused
  // because of audio.
  size_t input_bytes = 64 * 1024;
  OutboxShape outbox;
};

inline constexpr size_t kControlReserve = 4 * 1024;
inline constexpr size_t kMaxRingBytes = 512 * 1024;

class LaneKind {
 public:
  virtual ~LaneKind() = default;
  virtual std::string name() const = 0;

  // On a pool thread, once, when the engine starts: open models here. Until it returns ok, opening a lane of
  // this kind answers not_ready with the message, which names the file at fault.
  virtual base::Status Prepare(Services&) { return base::Ok(); }

  // On a pool thread, as offline work a step at a time, once every kind is prepared: for measurements that
  // other models' opening would disturb. Returns true while there is more.
  virtual bool Settle() { return false; }

  // The measured cost of one lane in thousandths of a core; EngineConfig::capacity has the same unit.
  virtual uint32_t cost() const = 0;
  // The cost of a lane with these options; where lanes differ, cost() is that of the dearest.
  virtual uint32_t CostOf(const Options&) const { return cost(); }
  // The cost of a lane from this control on; nothing when it stays the same. On the JavaScript thread.
  virtual std::optional<uint32_t> CostAfter(uint16_t /*verb*/, base::ByteView /*body*/) const {
    return std::nullopt;
  }

  // Returns whether the GPU that the kind's lanes use would refuse another one now; Open() then refuses it, too. On the
  // JavaScript thread, once the kind is prepared.
  virtual bool IsGpuFull() const { return false; }

  // The kind's metrics; names of counters end in `_total`. From any thread.
  virtual std::vector<Count> counts() const { return {}; }

  // The memory of a lane's rings; at most kMaxRingBytes each.
  virtual LaneShape shape() const { return {}; }

  // Called on the JavaScript thread. `options` is valid only during the call.
  virtual base::Result<std::unique_ptr<Lane>> Open(const Options& options) = 0;

  // On the JavaScript thread, once for each media thread; null: each lane's own Tick is called.
  virtual std::unique_ptr<LaneGroup> MakeGroup() { return nullptr; }
};

}  // namespace trunkline::engine

#include "engine/lane_io.h"  // IWYU pragma: export
