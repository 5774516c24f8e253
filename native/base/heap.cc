#include "base/heap.h"

#include <malloc.h>

namespace trunkline::base {

Heap HeapNow() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 info = mallinfo2();
  return {info.uordblks, info.fordblks, info.hblkhd};
#else
  return {};
#endif
}

void ReturnFreeMemory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace trunkline::base
