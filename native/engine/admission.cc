#include "engine/admission.h"

namespace trunkline::engine {
namespace {

// The heavier of two lanes is served up to where one more would leave less than this many of it free. A call of
// Omni with a Kokoro voice takes a fourth of two cores, and three at once keep their gaps and breaks there
// (docs/lab/processors.md).
constexpr uint64_t kHeavierKeptFree = 1;

}  // namespace

bool Admission::GivesWay(uint32_t heavier, uint32_t lighter, uint32_t limit) const {
  if (lighter >= heavier) return false;
  if (!HasRoom(heavier, limit)) return true;
  // Where nothing else is there is no load, however small the machine is.
  return used_ > 0 && used_ + heavier + kHeavierKeptFree * heavier > limit;
}

}  // namespace trunkline::engine
