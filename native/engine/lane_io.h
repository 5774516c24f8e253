// What a lane sees of its slot: its input, its outbox, the clock and the pool. Media thread only.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/spsc_ring.h"
#include "base/status.h"
#include "engine/lane_bridge.h"
#include "engine/lane.h"

namespace trunkline::engine {

class InferencePool;
class MediaLoop;

class LaneIo {
 public:
  // `memory` holds its rings, and outlives it.
  LaneIo(LaneId id, const LaneShape& shape, base::BlockPool& memory, InferencePool& pool, MediaLoop& loop);

  // Nanoseconds on the engine's clock, when this tick began.
  int64_t now() const { return now_; }
  // Which tick this is, counted from the engine's start. It jumps when the thread was late: what is paced by
  // time follows this number, never the count of calls.
  uint64_t tick() const { return tick_; }
  LaneId id() const { return id_; }

  // The oldest input that was not taken yet; false when there is none.
  bool Next(Input& input);
  // The last input is given again by the next call of Next: for a lane that finds no room to act on it.
  void Unread();

  bool Write(uint16_t type, base::ByteView head, base::ByteView body = {}, uint16_t flags = 0);
  // As Write, of what leaves `reserve` bytes free for more important things.
  bool WriteSparing(uint16_t type, base::ByteView bytes, size_t reserve);
  bool WriteLatest(size_t mailbox, uint16_t type, base::ByteView head, base::ByteView body = {},
                   uint16_t flags = 0);
  // What was written as audio and has not been heard by the lane that this one is joined with is not to be heard.
  void ClearAudio();
  // Bytes that one Write may hold now.
  size_t Room();

  // False when the task is in flight already, the lane has finished, or the engine is stopping. A task that
  // was cancelled may be submitted again.
  bool Submit(LaneTask& task, Priority priority, int64_t deadline);

  // The lane is through. What it has written is delivered, then `closed` with this code; no further Tick.
  void Finish(base::Code code);
  bool finished() const { return finished_; }

  // JavaScript thread, before the lane's first tick.
  void WorkFor(Tenant tenant) { tenant_ = tenant; }
  // JavaScript thread.
  base::Code Push(InputKind kind, uint16_t verb, base::ByteView bytes);
  // Where a scanner writes audio itself: see engine/carrier_json.h.
  Outbox& outbox() { return outbox_; }
  void RequestClose() { close_.store(true, std::memory_order_release); }
  void RequestDrop() { drop_.store(true, std::memory_order_release); }
  // From its next tick on; null: with nobody. `end` outlives the lane.
  void Join(BridgeEnd* end) { wanted_end_.store(end, std::memory_order_release); }

 private:
  friend class LaneTask;
  friend class MediaLoop;

  // Gives the input that was given out last back to its ring.
  void ReleaseInput();
  // The oldest input of a ring, in one piece.
  void Give(base::ByteRing& ring, Input& input);

  base::ByteRing input_;
  Outbox outbox_;
  std::atomic<bool> close_{false};
  std::atomic<bool> drop_{false};
  std::atomic<BridgeEnd*> wanted_end_{nullptr};

  // Media thread.
  BridgeEnd* end_ = nullptr;           // in this tick
  base::ByteRing* giving_ = nullptr;  // whose input was given out last
  InferencePool& pool_;
  MediaLoop& loop_;
  const LaneId id_;
  Tenant tenant_ = Tenant::kLive;
  int64_t now_ = 0;
  uint64_t tick_ = 0;
  size_t taken_ = 0;                  // bytes of the ring under the input that was given out last
  base::BlockPool::Block unwrapped_;  // room for an input that wraps in its ring, in one piece
  uint32_t in_flight_ = 0;
  int64_t blocked_since_ = -1;
  bool blocked_ = false;  // a write failed in this tick
  bool wrote_ = false;
  bool close_given_ = false;
  bool finished_ = false;
  base::Code code_ = base::Code::kOk;
};

}  // namespace trunkline::engine
