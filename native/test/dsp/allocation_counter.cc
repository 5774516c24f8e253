#include "test/dsp/allocation_counter.h"

#include "test/support/counted_new.h"

namespace trunkline::dsp {

long AllocationsOfThisThread() {
  return static_cast<long>(test::allocations_of_this_thread);
}

}  // namespace trunkline::dsp
