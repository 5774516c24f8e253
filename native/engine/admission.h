// Admission control: sums the cost of an engine's lanes and refuses lanes beyond the limit. JavaScript
// thread.
#pragma once

#include <cstdint>

namespace trunkline::engine {

class Admission {
 public:
  // Costs and limits are thousandths of a core; a `limit` bounds the sum of all lanes.
  uint32_t used() const { return static_cast<uint32_t>(used_); }
  bool HasCapacity(uint32_t cost, uint32_t limit) const { return used_ + cost <= limit; }
  // Returns the limit for a call that another node began: with one of three nodes lost, each other one takes
  // half as many calls again. Lanes cost less than they are counted for (docs/lab/processors.md), and a caller
  // who was served already would else hear nothing until some other call ends.
  static uint32_t ResumedLimit(uint32_t limit) { return limit + limit / 2; }
  // Chooses the lighter form of a lane that may be opened either way: the machine is under load, or the
  // heavier one does not fit.
  bool GivesWay(uint32_t heavier, uint32_t lighter, uint32_t limit) const;

  void Add(uint32_t cost) { used_ += cost; }
  void Remove(uint32_t cost) { used_ -= cost; }

 private:
  uint64_t used_ = 0;
};

}  // namespace trunkline::engine
