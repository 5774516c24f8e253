// A lane's view of its slot: its input, its outbox, the clock and the pool. Media thread only.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/spsc_ring.h"
#include "base/status.h"
#include "engine/lane.h"
#include "engine/lane_bridge.h"

namespace trunkline::engine {

class InferencePool;
class MediaLoop;

class LaneIo {
 public:
  // `memory` holds its rings and must outlive it.
  LaneIo(LaneId id, const LaneShape& shape, base::BlockPool& memory, InferencePool& pool, MediaLoop& loop);

  // Nanoseconds on the engine's clock at the start of this tick.
  int64_t now() const { return now_; }
  // The number of this tick since the engine's start. It jumps when the thread was late, so pacing must
  // follow it and not the count of calls.
  uint64_t tick() const { return tick_; }
  LaneId id() const { return id_; }

  // Takes the oldest input; returns false when there is none.
  bool Next(Input& input);
  // Makes the next call of Next return the last input again: for a lane that cannot act on it
  // yet.
  void Unread();

  bool Write(uint16_t type, base::ByteView head, base::ByteView body = {}, uint16_t flags = 0);
  // Like Write, but only if `reserve` bytes stay free for more important events.
  bool WriteSparing(uint16_t type, base::ByteView bytes, size_t reserve);
  bool WriteLatest(size_t mailbox, uint16_t type, base::ByteView head, base::ByteView body = {},
                   uint16_t flags = 0);
  // Discards audio that was written and that the joined lane has not played.
  void ClearAudio();
  size_t FreeBytes();

  // Returns false when the task is in flight, the lane has finished, or the engine is stopping. A cancelled
  // task may be submitted again.
  bool Submit(LaneTask& task, Priority priority, int64_t deadline);
  // The share of the engine's capacity that its open lanes take, by admission's measure: work that a lane can do
  // without is left out under load.
  float load() const;

  // Ends the lane. What it has written is delivered, then `closed` with this code; no further Tick.
  void Finish(base::Code code);
  bool finished() const { return finished_; }

  // JavaScript thread, before the lane's first tick.
  void WorkFor(Tenant tenant) { tenant_ = tenant; }
  // JavaScript thread.
  base::Code Push(InputKind kind, uint16_t verb, base::ByteView bytes);
  // A scanner writes audio in place with it: see engine/carrier_json.h.
  Outbox& outbox() { return outbox_; }
  void RequestClose() { close_.store(true, std::memory_order_release); }
  // Any thread may ask. The lane reads a close as its last input.
  bool close_requested() const { return close_.load(std::memory_order_acquire); }
  void RequestDrop() { drop_.store(true, std::memory_order_release); }
  // Applies from the next tick on; null ends the bridge. `end` must outlive the lane.
  void Join(BridgeEnd* end) { wanted_end_.store(end, std::memory_order_release); }

 private:
  friend class LaneTask;
  friend class MediaLoop;

  void ReleaseInput();
  // Takes the oldest input of a ring, in one piece.
  void Give(base::ByteRing& ring, Input& input);

  base::ByteRing input_;
  Outbox outbox_;
  std::atomic<bool> close_{false};
  std::atomic<bool> drop_{false};
  std::atomic<BridgeEnd*> wanted_end_{nullptr};

  BridgeEnd* end_ = nullptr;
  base::ByteRing* giving_ = nullptr;
  InferencePool& pool_;
  MediaLoop& loop_;
  const LaneId id_;
  Tenant tenant_ = Tenant::kLive;
  int64_t now_ = 0;
  uint64_t tick_ = 0;
  size_t taken_ = 0;                  // bytes of the ring under the input that was given out last
  base::BlockPool::Block unwrapped_;  // holds an input that wraps in its ring, in one piece
  uint32_t in_flight_ = 0;
  int64_t blocked_since_ = -1;
  bool blocked_ = false;  // a write failed in this tick
  bool wrote_ = false;
  bool close_given_ = false;
  bool finished_ = false;
  base::Code code_ = base::Code::kOk;
};

}  // namespace trunkline::engine
