// The bytes that malloc holds for this process.
#pragma once

#include <cstddef>

namespace trunkline::base {

struct Heap {
  size_t used = 0;      // allocated, not freed yet
  size_t retained = 0;  // free, and not returned to the system
  size_t mapped = 0;    // large blocks, which return to the system as soon as they are freed
};

// Zeroes where the C library does not report them.
Heap HeapNow();

// Returns free memory to the system, which takes some milliseconds where there is much.
void ReturnFreeMemory();

}  // namespace trunkline::base
