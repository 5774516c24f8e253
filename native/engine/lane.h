// The door for lane kinds: what a kind of lane implements, and what it gets.
//
// A kind (loopback, hear, omni, amd …) is a LaneKind, registered by name in binding/kinds.cc. It lives in a room of its
// own, native/<kind>, and may use every room below the engine.
//
//   JavaScript thread   LaneKind::Open makes the lane when a session opens: here memory is allocated, once for its life.
//   media thread        Lane::Tick, every 10 ms, for as long as the lane lives; results of its tasks come in between
//                       (LaneTask::Done). All of a lane's methods but its constructor and destructor run on one thread.
//                       REALTIME: no lock, no allocation, no file, no model that takes a millisecond.
//   pool threads        LaneTask::Run: inference. It may read and write the task's own fields and nothing of the lane.
//
// In one tick a lane
//   1. takes what was pushed:       while (io.Next(input)) { input.kind, input.verb, input.bytes }, in order of arrival
//   2. writes what it has to say:   io.Write(type, bytes): never dropped; false: no room now, try on the next tick
//                                   io.WriteLatest(box, type, bytes): a newer one replaces the older, for partials
//   3. orders inference:            io.Submit(task, Priority::kPartial, io.now() + 200 ms)
//   4. ends, when it is through:    io.Finish(Code::kOk): the `closed` record follows all that it wrote
//
// Inputs
//   kAudio     bytes as they were pushed; the kind says which format
//   kControl   a verb with bytes: the verbs are the kind's own; packed options (engine/options.h) where they are more
//              than a number
//   kClose     JavaScript wants a clean end: flush, write the last events, Finish
//   kClear     of the lane that this one is joined with (Engine::Join): forget its audio that was not heard yet
//
// A close that must not wait never reaches the lane: the engine cancels its tasks and drops it. A lane that cannot
// write for EngineConfig::overflow_ms, because nobody drains, is closed with Code::kOverflow. Each task is owned by the
// lane that submits it and is reused. A lane is destroyed (on the JavaScript thread) only when none of its tasks is in
// flight, so a late result never finds another session in its slot.
//
// Batched stages: LaneKind::MakeGroup may give one LaneGroup per media thread; then the group is called once a tick with
// all lanes of the kind in place of each lane's Tick (voice activity of all lanes in one run of the model, say).
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

// Inference that belongs to a lane.
class LaneTask : public Task {
 public:
  // On the lane's media thread, soon after the last step of Run: read the results, write events, submit
  // again. Also when it was cancelled (cancelled()) or threw (faulted()).
  virtual void Done(LaneIo& io) = 0;

  // From Submit until Done is called.
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
  // The lane is about to be dropped: cancel every task that is in flight. No Tick follows; Done does for each
  // of them.
  virtual void CancelTasks() {}
};

// All lanes of a kind that one media thread serves.
class LaneGroup {
 public:
  struct Member {
    Lane* lane;
    LaneIo* io;
  };
  virtual ~LaneGroup() = default;
  virtual void Tick(std::span<const Member> members) = 0;
};

// A number that a kind counts, for whoever watches the machine.
struct Count {
  const char* name;
  double value;
};

// What a kind gets to make itself ready. Defined in engine/services.h.
class Services;

struct LaneShape {
  // What may wait to be taken in by the lane. Audio leaves kControlReserve of it free, so that a control is
  // not refused because of audio.
  size_t input_bytes = 64 * 1024;
  OutboxShape outbox;
};

inline constexpr size_t kControlReserve = 4 * 1024;
inline constexpr size_t kMaxRingBytes = 512 * 1024;

class LaneKind {
 public:
  virtual ~LaneKind() = default;
  virtual std::string name() const = 0;

  // On a pool thread, once, when the engine starts: open models here. Until it has answered ok, opening a
  // lane of this kind answers not_ready with these words; they name the file at fault.
  virtual base::Status Prepare(Services&) { return base::Ok(); }

  // On a pool thread, as offline work a step at a time, once every kind is prepared: what is better found out
  // when no models are being opened. True while there is more.
  virtual bool Settle() { return false; }

  // Thousandths of a core that one lane needs, as measured, for the lane that is opened now;
  // EngineConfig::capacity is in the same unit.
  virtual uint32_t cost() const = 0;
  // The same for a lane with these options; of a kind whose lanes differ, cost() is that of the dearest.
  virtual uint32_t CostOf(const Options&) const { return cost(); }
  // What a lane costs from this control on; nothing: as before. On the JavaScript thread.
  virtual std::optional<uint32_t> CostAfter(uint16_t /*verb*/, base::ByteView /*body*/) const {
    return std::nullopt;
  }

  // What it counts, by names of its own that end in `_total` where they only rise. From any thread.
  virtual std::vector<Count> counts() const { return {}; }

  // The memory of a lane's rings; at most kMaxRingBytes each.
  virtual LaneShape shape() const { return {}; }

  // On the JavaScript thread. `options` is valid only during the call.
  virtual base::Result<std::unique_ptr<Lane>> Open(const Options& options) = 0;

  // On the JavaScript thread, once for each media thread; null: each lane's own Tick is called.
  virtual std::unique_ptr<LaneGroup> MakeGroup() { return nullptr; }
};

}  // namespace trunkline::engine

#include "engine/lane_io.h"  // IWYU pragma: export
