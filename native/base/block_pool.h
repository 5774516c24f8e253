// Memory for the rings of many lanes, on huge pages where the system has them.
//
// A tick touches a few hundred bytes in the rings of every lane. On pages of 4 KiB nearly each of those is a
// TLB miss, which in a virtual machine costs more than the copy itself; with 1,000 lanes that was a sixth of
// the cost of a frame. Chunks of 2 MiB hold many rings under one TLB entry.
//
// One thread takes and returns blocks; any thread may use the memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace trunkline::base {

class BlockPool {
 public:
  class Return {
   public:
    Return() = default;
    Return(BlockPool* pool, size_t size) : pool_(pool), size_(size) {}
    void operator()(uint8_t* block) const;

   private:
    BlockPool* pool_ = nullptr;  // a block of the heap has none
    size_t size_ = 0;
  };
  // Returns to its pool, which must still live.
  using Block = std::unique_ptr<uint8_t[], Return>;

  BlockPool() = default;
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // Returns at least `size` bytes, not necessarily zeroed; throws std::bad_alloc.
  Block Take(size_t size);
  // Bytes taken from the system, which the pool returns when it is destroyed.
  size_t held() const { return chunks_.size() * kChunk; }

 private:
  static constexpr size_t kChunk = size_t{2} << 20;
  static constexpr size_t kSmallest = 4096;
  static constexpr size_t kClasses = 10;  // 4 KiB to 2 MiB, doubling

  static size_t ClassOf(size_t size);
  uint8_t* Carve(size_t size);
  bool TakeLarger(size_t size);
  void AddChunk();
  void Give(uint8_t* block, size_t size);

  std::vector<void*> chunks_;
  uint8_t* rest_ = nullptr;
  size_t rest_size_ = 0;
  std::array<std::vector<uint8_t*>, kClasses> free_;
};

// A block of the heap, for users without a pool.
BlockPool::Block HeapBlock(size_t size);

}  // namespace trunkline::base
