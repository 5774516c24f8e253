#include "engine/slot_table.h"

namespace trunkline::engine {

SlotTable::SlotTable(uint32_t size) : ready_((size + 63) / 64) {
  slots_.reserve(size);
  free_.reserve(size);
  for (uint32_t i = 0; i < size; ++i) slots_.push_back(std::make_unique<Slot>());
  for (uint32_t i = size; i > 0; --i) free_.push_back(i - 1);
}

Slot* SlotTable::Take(uint32_t& index) {
  if (free_.empty()) return nullptr;
  index = free_.back();
  free_.pop_back();
  Slot& slot = *slots_[index];
  // A generation is never 0, so that a zeroed pair is always stale.
  if (++slot.generation == 0) slot.generation = 1;
  slot.open = true;
  slot.closing = false;
  slot.carrier = {};
  slot.joined = {};
  slot.ended.store(false, std::memory_order_relaxed);
  slot.code = base::Code::kOk;
  ++live_;
  return &slot;
}

Slot* SlotTable::Find(LaneId id) {
  if (id.slot >= slots_.size()) return nullptr;
  Slot& slot = *slots_[id.slot];
  return slot.open && slot.generation == id.generation ? &slot : nullptr;
}

void SlotTable::Free(uint32_t index) {
  Slot& slot = *slots_[index];
  slot.lane.reset();
  slot.io.reset();
  slot.bridges.clear();
  slot.priced_by.clear();
  slot.open = false;
  free_.push_back(index);
  --live_;
}

}  // namespace trunkline::engine
