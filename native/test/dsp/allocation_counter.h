// Counts this thread's calls of operator new, to show that a path allocates nothing.
#pragma once

namespace trunkline::dsp {

long AllocationsOfThisThread();

}  // namespace trunkline::dsp
