// What the lanes of an engine cost together, and whom that lets in. JavaScript thread.
#pragma once

#include <cstdint>

namespace trunkline::engine {

class Admission {
 public:
  // Thousandths of a core, all of them; a `limit` is what lanes may take together.
  uint32_t used() const { return static_cast<uint32_t>(used_); }
  bool HasRoom(uint32_t cost, uint32_t limit) const { return used_ + cost <= limit; }
  // Whether a lane that may be opened as either is to be the lighter one: the machine is under load, or has no
  // room left for the heavier.
  bool GivesWay(uint32_t heavier, uint32_t lighter, uint32_t limit) const;

  void Add(uint32_t cost) { used_ += cost; }
  void Remove(uint32_t cost) { used_ -= cost; }

 private:
  uint64_t used_ = 0;
};

}  // namespace trunkline::engine
