// Bounded rings between exactly one producer thread and exactly one consumer thread.
//
// Realtime: neither side locks, waits or allocates after construction. Positions only increase (64 bits) and
// wrap on access, never in storage, so `written() - read()` is always the number of items that wait. The
// consumer marks what it has used; the producer reclaims that space. Each end caches the other's position and
// re-reads the shared one only when the cached one says "full" or "empty", so a push mostly costs no cache
// miss.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "base/block_pool.h"
#include "base/bytes.h"

namespace trunkline::base {

inline constexpr size_t kCacheLine = 64;

template <typename T>
class SpscRing {
 public:
  // Holds at least `capacity` items: the next power of two.
  explicit SpscRing(size_t capacity)
      : mask_(std::bit_ceil(std::max<size_t>(capacity, 2)) - 1), items_(std::make_unique<T[]>(mask_ + 1)) {}
  SpscRing(const SpscRing&) = delete;
  SpscRing& operator=(const SpscRing&) = delete;

  size_t capacity() const { return mask_ + 1; }
  uint64_t written() const { return written_.load(std::memory_order_acquire); }
  uint64_t read() const { return read_.load(std::memory_order_acquire); }
  // A snapshot; exact for neither side while the other moves.
  size_t size() const {
    const uint64_t taken = read();
    return static_cast<size_t>(written() - taken);
  }
  bool empty() const { return size() == 0; }

  // Producer. Returns false when the ring is full.
  bool Push(T item) {
    const uint64_t at = written_.load(std::memory_order_relaxed);
    if (at - producer_read_ > mask_) {
      producer_read_ = read_.load(std::memory_order_acquire);
      if (at - producer_read_ > mask_) return false;
    }
    items_[at & mask_] = std::move(item);
    written_.store(at + 1, std::memory_order_release);
    return true;
  }

  // Consumer. Returns false when the ring is empty.
  bool Pop(T& item) {
    T* front = Front();
    if (front == nullptr) return false;
    item = std::move(*front);
    PopFront();
    return true;
  }

  // Consumer. The oldest item in place, or null; PopFront() frees it.
  T* Front() {
    const uint64_t at = read_.load(std::memory_order_relaxed);
    if (at == consumer_written_) {
      consumer_written_ = written_.load(std::memory_order_acquire);
      if (at == consumer_written_) return nullptr;
    }
    return &items_[at & mask_];
  }
  void PopFront() { read_.store(read_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  const size_t mask_;
  const std::unique_ptr<T[]> items_;
  alignas(kCacheLine) std::atomic<uint64_t> written_{0};
  uint64_t producer_read_ = 0;
  alignas(kCacheLine) std::atomic<uint64_t> read_{0};
  uint64_t consumer_written_ = 0;
};

// A ring of bytes. A push is atomic; a read may take any part.
class ByteRing {
 public:
  explicit ByteRing(size_t capacity) : ByteRing(capacity, &HeapBlock) {}
  // Its memory belongs to `pool`, which must outlive it.
  ByteRing(size_t capacity, BlockPool& pool)
      : ByteRing(capacity, [&pool](size_t size) { return pool.Take(size); }) {}
  ByteRing(const ByteRing&) = delete;
  ByteRing& operator=(const ByteRing&) = delete;

  size_t capacity() const { return mask_ + 1; }
  uint64_t written() const { return written_.load(std::memory_order_acquire); }
  uint64_t read() const { return read_.load(std::memory_order_acquire); }
  size_t size() const {
    const uint64_t taken = read();
    return static_cast<size_t>(written() - taken);
  }

  // Producer: the largest push that fits now.
  size_t FreeBytes() {
    producer_read_ = read_.load(std::memory_order_acquire);
    return capacity() - static_cast<size_t>(written_.load(std::memory_order_relaxed) - producer_read_);
  }

  // Producer. Returns false, without writing, when the bytes do not fit.
  bool Push(ByteView bytes) { return Push(bytes, {}, {}); }

  // Producer. Pushes parts as one: a header and its payload appear together or not at all. `reserve` bytes of
  // the ring stay free for a later push that must not fail.
  bool Push(ByteView head, ByteView body, ByteView tail = {}, size_t reserve = 0) {
    const uint64_t at = written_.load(std::memory_order_relaxed);
    const size_t count = head.size() + body.size() + tail.size();
    if (count + reserve > capacity()) return false;
    if (at + count + reserve - producer_read_ > capacity()) {
      producer_read_ = read_.load(std::memory_order_acquire);
      if (at + count + reserve - producer_read_ > capacity()) return false;
    }
    CopyIn(at, head);
    CopyIn(at + head.size(), body);
    CopyIn(at + head.size() + body.size(), tail);
    written_.store(at + count, std::memory_order_release);
    return true;
  }

  // Consumer: how many bytes can be read now.
  size_t Available() {
    consumer_written_ = written_.load(std::memory_order_acquire);
    return static_cast<size_t>(consumer_written_ - read_.load(std::memory_order_relaxed));
  }

  // Consumer: copies up to `into.size()` bytes from `skip` bytes ahead, without marking them used.
  size_t Peek(MutableBytes into, size_t skip = 0) {
    const uint64_t at = read_.load(std::memory_order_relaxed) + skip;
    if (consumer_written_ < at + into.size()) consumer_written_ = written_.load(std::memory_order_acquire);
    if (consumer_written_ <= at) return 0;
    const size_t count = std::min(into.size(), static_cast<size_t>(consumer_written_ - at));
    CopyOut(at, into.first(count));
    return count;
  }

  // Consumer: `count` bytes in place, `skip` bytes ahead, or empty where they wrap. The caller has checked
  // that they are available.
  ByteView Contiguous(size_t skip, size_t count) const {
    const size_t start = static_cast<size_t>(read_.load(std::memory_order_relaxed) + skip) & mask_;
    if (start + count > capacity()) return {};
    return {bytes_.get() + start, count};
  }

  // Consumer: marks bytes as used.
  void Skip(size_t count) {
    read_.store(read_.load(std::memory_order_relaxed) + count, std::memory_order_release);
  }

  size_t Pop(MutableBytes into) {
    const size_t count = Peek(into);
    Skip(count);
    return count;
  }

 private:
  template <typename Allocate>
  ByteRing(size_t capacity, Allocate allocate)
      : mask_(std::bit_ceil(std::max<size_t>(capacity, 2)) - 1), bytes_(allocate(mask_ + 1)) {}

  void CopyIn(uint64_t at, ByteView bytes) {
    if (bytes.empty()) return;
    const size_t start = static_cast<size_t>(at) & mask_;
    const size_t first = std::min(bytes.size(), capacity() - start);
    std::memcpy(bytes_.get() + start, bytes.data(), first);
    if (first < bytes.size()) std::memcpy(bytes_.get(), bytes.data() + first, bytes.size() - first);
  }

  void CopyOut(uint64_t at, MutableBytes into) const {
    if (into.empty()) return;
    const size_t start = static_cast<size_t>(at) & mask_;
    const size_t first = std::min(into.size(), capacity() - start);
    std::memcpy(into.data(), bytes_.get() + start, first);
    if (first < into.size()) std::memcpy(into.data() + first, bytes_.get(), into.size() - first);
  }

  const size_t mask_;
  const BlockPool::Block bytes_;
  alignas(kCacheLine) std::atomic<uint64_t> written_{0};
  uint64_t producer_read_ = 0;
  alignas(kCacheLine) std::atomic<uint64_t> read_{0};
  uint64_t consumer_written_ = 0;
};

}  // namespace trunkline::base
