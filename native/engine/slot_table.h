// The fixed table of lanes. Each member's comment names the thread that may use it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/carrier_order.h"
#include "engine/lane.h"

namespace trunkline::engine {

struct Slot {
  // JavaScript thread.
  uint32_t generation = 0;
  bool open = false;
  bool closing = false;
  size_t kind = 0;
  uint32_t cost = 0;
  // The options of the lane (verb 0), or the control that changed its cost last, while a GPU carries a part of it.
  uint16_t priced_verb = 0;
  std::vector<uint8_t> priced_by;
  CarrierOrder carrier;
  // The lane's bridges, including past ones, live until the slot is free, because its media thread may
  // still read them.
  std::vector<std::shared_ptr<LaneBridge>> bridges;
  LaneId joined{};  // generation 0: none

  // Made and destroyed on the JavaScript thread; in between owned by the media thread, until `ended`.
  std::unique_ptr<LaneIo> io;
  std::unique_ptr<Lane> lane;

  // Set by the media thread as its last access to the slot.
  std::atomic<bool> ended{false};
  base::Code code = base::Code::kOk;  // written before `ended`
};

class SlotTable {
 public:
  explicit SlotTable(uint32_t size);

  // JavaScript thread. Returns null when all slots are taken.
  Slot* Take(uint32_t& index);
  // The slot of a live lane; null for a stale or unknown pair.
  Slot* Find(LaneId id);
  void Free(uint32_t index);
  uint32_t live() const { return live_; }

  // Any thread.
  uint32_t size() const { return static_cast<uint32_t>(slots_.size()); }
  Slot& at(uint32_t index) { return *slots_[index]; }

  // Media thread: this lane has something to take.
  void MarkReady(uint32_t index) {
    ready_[index / 64].fetch_or(uint64_t{1} << (index % 64), std::memory_order_release);
  }

  bool AnyReady() const {
    for (const auto& word : ready_) {
      if (word.load(std::memory_order_relaxed) != 0) return true;
    }
    return false;
  }

  // JavaScript thread: calls `visit(index)` for each ready lane until it returns false; that lane and those
  // after it stay ready. Returns false when it stopped early.
  template <typename Visit>
  bool EachReady(Visit visit) {
    for (size_t word = 0; word < ready_.size(); ++word) {
      if (ready_[word].load(std::memory_order_relaxed) == 0) continue;
      uint64_t bits = ready_[word].exchange(0, std::memory_order_acquire);
      while (bits != 0) {
        const uint32_t bit = static_cast<uint32_t>(__builtin_ctzll(bits));
        if (!visit(static_cast<uint32_t>(word * 64 + bit))) {
          ready_[word].fetch_or(bits, std::memory_order_relaxed);
          return false;
        }
        bits &= bits - 1;
      }
    }
    return true;
  }

 private:
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<uint32_t> free_;
  std::vector<std::atomic<uint64_t>> ready_;
  uint32_t live_ = 0;
};

}  // namespace trunkline::engine
