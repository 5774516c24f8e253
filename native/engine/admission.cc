#include "engine/admission.h"

namespace trunkline::engine {
namespace {

// The heavier of two lanes is opened only while this many more of it would fit. An Omni call with a Kokoro
// voice takes a quarter of two cores, and three at once keep their response latency there
// (docs/lab/processors.md).
constexpr uint64_t kHeavierReserve = 1;

}  // namespace

bool Admission::GivesWay(uint32_t heavier, uint32_t lighter, uint32_t limit) const {
  if (lighter >= heavier) return false;
  if (!HasCapacity(heavier, limit)) return true;
  // An engine without other lanes is not under load, however small the machine is.
  return used_ > 0 && used_ + heavier + kHeavierReserve * heavier > limit;
}

}  // namespace trunkline::engine
