// Zeroed memory for a step of work. Large blocks come from the system and return to it at once, where malloc
// would keep them for the thread. The total is counted for memory reports.
#pragma once

#include <cstddef>
#include <utility>

namespace trunkline::base {

class Pages {
 public:
  Pages() = default;
  // Throws std::bad_alloc.
  explicit Pages(size_t bytes);
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Pages();

  // Aligned to a cache line.
  void* data() const { return data_; }

  // Counts the bytes of all instances.
  static size_t held();

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace trunkline::base
