// Moves the running program's code to huge pages, because a process with thousands of connections spends much
// time on instruction TLB misses.
#pragma once

#include <cstddef>

namespace trunkline::base {

// Moves the code while it runs, and returns the bytes moved by this or an earlier call. 0: the system offers
// no huge pages, the code is too small, or this is not Linux on x86-64.
size_t CodeOnHugePages();

}  // namespace trunkline::base
