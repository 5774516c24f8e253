// The code of the running program on huge pages: a process that goes over thousands of connections waits for the places
// of its own code a good part of its time.
#pragma once

#include <cstddef>

namespace trunkline::base {

// Moves the code, whatever runs in it meanwhile, and answers with the bytes moved by this or an earlier call. 0: the system
// gives no huge pages to who asks for them, the code is too small, or this is no Linux on x86-64.
size_t CodeOnHugePages();

}  // namespace trunkline::base
