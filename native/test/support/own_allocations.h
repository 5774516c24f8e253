// Allocations of this thread that are the engine's own, for programs that replace operator new (counted_new.h): what the
// inference library allocates inside a run of a model is its own affair, and is left out by who called.
#pragma once

#include <execinfo.h>
#include <link.h>

#include <cstdint>
#include <string_view>

#include "test/support/counted_new.h"

namespace trunkline::test {

struct CodeRange {
  uintptr_t begin = 0, end = 0;
};

// The address range of a library's code; empty while it is not loaded.
inline CodeRange CodeOf(std::string_view library) {
  struct Search {
    std::string_view library;
    CodeRange found;
  } search{library, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (std::string_view(info->dlpi_name).find(wanted.library) == std::string_view::npos) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
          wanted.found = {info->dlpi_addr + part.p_vaddr, info->dlpi_addr + part.p_vaddr + part.p_memsz};
        }
        return 1;
      },
      &search);
  return search.found;
}

// The filter of counted_new.h's `allocation_counts`: whether the inference library is not on the call stack.
inline bool IsOwnAllocation() {
  static const CodeRange library = CodeOf("libonnxruntime");
  void* frames[64];
  const int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i) {
    const auto at = reinterpret_cast<uintptr_t>(frames[i]);
    if (at >= library.begin && at < library.end) return false;
  }
  return true;
}

// Counts the allocations of the work itself.
template <typename Work>
uint64_t OwnAllocations(Work work) {
  allocation_counts = IsOwnAllocation;
  const uint64_t before = allocations_of_this_thread;
  work();
  const uint64_t allocated = allocations_of_this_thread - before;
  allocation_counts = nullptr;
  return allocated;
}

}  // namespace trunkline::test
