// The bytes that malloc holds for this process.
#pragma once

#include <cstddef>

namespace trunkline::base {

struct Heap {
  size_t used = 0;      // taken by somebody
  size_t retained = 0;  // free, and not given back to the system
  size_t mapped = 0;    // large pieces, which go back as soon as they are free
};

// Zeroes where the C library does not report them.
Heap HeapNow();

}  // namespace trunkline::base
