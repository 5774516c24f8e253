#include "base/block_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

namespace trunkline::base {

namespace {

// AddressSanitizer detects overruns of a heap block, but not of a part of a chunk.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kUseHeap = true;
#elif defined(__has_feature)
constexpr bool kUseHeap = __has_feature(address_sanitizer);
#else
constexpr bool kUseHeap = false;
#endif

}  // namespace

void BlockPool::Return::operator()(uint8_t* block) const {
  if (pool_ == nullptr) {
    delete[] block;
  } else {
    pool_->Give(block, size_);
  }
}

BlockPool::Block HeapBlock(size_t size) {
  return {new uint8_t[size], BlockPool::Return()};
}

BlockPool::~BlockPool() {
  for (void* chunk : chunks_) std::free(chunk);
}

size_t BlockPool::ClassOf(size_t size) {
  return static_cast<size_t>(std::countr_zero(size / kSmallest));
}

BlockPool::Block BlockPool::Take(size_t size) {
  const size_t rounded = std::bit_ceil(std::max(size, kSmallest));
  if (kUseHeap || rounded > kChunk) return HeapBlock(size);
  auto& free = free_[ClassOf(rounded)];
  if (free.empty()) return {Carve(rounded), Return(this, rounded)};
  uint8_t* block = free.back();
  free.pop_back();
  return {block, Return(this, rounded)};
}

uint8_t* BlockPool::Carve(size_t size) {
  if (rest_size_ < size) {
    // The rest of a chunk is split into blocks and not lost.
    while (rest_size_ > 0) {
      const size_t piece = std::bit_floor(rest_size_);
      rest_size_ -= piece;
      Give(rest_ + rest_size_, piece);
    }
    if (!TakeLarger(size)) AddChunk();
  }
  rest_size_ -= size;
  return rest_ + rest_size_;
}

bool BlockPool::TakeLarger(size_t size) {
  for (size_t index = ClassOf(size) + 1; index < kClasses; ++index) {
    if (free_[index].empty()) continue;
    rest_ = free_[index].back();
    rest_size_ = kSmallest << index;
    free_[index].pop_back();
    return true;
  }
  return false;
}

void BlockPool::AddChunk() {
  chunks_.reserve(chunks_.size() + 1);
  void* chunk = std::aligned_alloc(kChunk, kChunk);
  if (chunk == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  madvise(chunk, kChunk, MADV_HUGEPAGE);  // optional: without huge pages all works, more slowly
#endif
  chunks_.push_back(chunk);
  rest_ = static_cast<uint8_t*>(chunk);
  rest_size_ = kChunk;
}

void BlockPool::Give(uint8_t* block, size_t size) {
  free_[ClassOf(size)].push_back(block);
}

}  // namespace trunkline::base
