// Replaces operator new in the program that includes this, in one file of it, and counts: to show that a path
// allocates nothing. Every form is replaced; a library that allocates with one that is not and frees with one
// that is would be an error of memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace trunkline::test {

inline std::atomic<uint64_t> all_allocations{0};
inline thread_local uint64_t allocations_of_this_thread = 0;
// Which of them the thread counts; null: all.
inline thread_local bool (*allocation_counts)() = nullptr;

inline void CountAllocation() {
  all_allocations.fetch_add(1, std::memory_order_relaxed);
  if (allocation_counts == nullptr || allocation_counts()) ++allocations_of_this_thread;
}

inline void* CountedOrNull(std::size_t size) {
  CountAllocation();
  return std::malloc(size == 0 ? 1 : size);
}

inline void* CountedOrNull(std::size_t size, std::align_val_t alignment) {
  CountAllocation();
  const std::size_t step = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(step, (size + step - 1) / step * step);
}

template <typename... Alignment>
void* Counted(std::size_t size, Alignment... alignment) {
  if (void* memory = CountedOrNull(size, alignment...)) return memory;
  throw std::bad_alloc();
}

}  // namespace trunkline::test

// clang-format off
void* operator new(std::size_t n) { return trunkline::test::Counted(n); }
void* operator new[](std::size_t n) { return trunkline::test::Counted(n); }
void* operator new(std::size_t n, std::align_val_t a) { return trunkline::test::Counted(n, a); }
void* operator new[](std::size_t n, std::align_val_t a) { return trunkline::test::Counted(n, a); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return trunkline::test::CountedOrNull(n); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return trunkline::test::CountedOrNull(n); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return trunkline::test::CountedOrNull(n, a); }
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return trunkline::test::CountedOrNull(n, a); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept { std::free(memory); }
// clang-format on
