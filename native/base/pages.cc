#include "base/pages.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace trunkline::base {
namespace {

constexpr size_t kLine = 64;
// Smaller blocks stay with malloc, which is quicker.
constexpr size_t kLarge = 1 << 20;

std::atomic<size_t> all_held{0};

void* Take(size_t bytes) {
  if (bytes < kLarge) {
    void* data = std::aligned_alloc(kLine, bytes);
    if (data == nullptr) throw std::bad_alloc();
    return std::memset(data, 0, bytes);
  }
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  return data;
}

}  // namespace

Pages::Pages(size_t bytes) : data_(nullptr), bytes_((bytes + kLine - 1) / kLine * kLine) {
  data_ = Take(bytes_);
  all_held.fetch_add(bytes_, std::memory_order_relaxed);
}

Pages::~Pages() {
  if (data_ == nullptr) return;
  all_held.fetch_sub(bytes_, std::memory_order_relaxed);
  if (bytes_ < kLarge) {
    std::free(data_);
  } else {
    munmap(data_, bytes_);
  }
}

size_t Pages::held() {
  return all_held.load(std::memory_order_relaxed);
}

}  // namespace trunkline::base
