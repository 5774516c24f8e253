// The generator's memory: floats aligned to a cache line, and queues of rows.
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include "base/pages.h"

namespace trunkline::tts {

// Zeroed, with a cache line of slack at the end.
class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(size_t count) : memory_(count * sizeof(float) + 64) {}
  float* data() { return static_cast<float*>(memory_.data()); }
  const float* data() const { return static_cast<const float*>(memory_.data()); }

 private:
  base::Pages memory_;
};

// The memory is reused from step to step.
class Scratch {
 public:
  float* Get(size_t count) {
    if (count > capacity_) {
      memory_ = {};
      capacity_ = count + count / 8;
      memory_ = AlignedFloats(capacity_);
    }
    return memory_.data();
  }
  void Release() {
    memory_ = {};
    capacity_ = 0;
  }

 private:
  AlignedFloats memory_;
  size_t capacity_ = 0;
};

// A queue of rows of one width. `slack` rows after the last can always be read.
class RowQueue {
 public:
  explicit RowQueue(size_t channels, size_t slack = 0) : channels_(channels), slack_(slack) {}

  size_t rows() const { return end_ - begin_; }
  size_t channels() const { return channels_; }
  const float* front() const { return memory_.data() + begin_ * channels_; }

  float* Append(size_t count) {
    if (end_ + count + slack_ > capacity_) Grow(count);
    float* rows = memory_.data() + end_ * channels_;
    end_ += count;
    return rows;
  }
  void AppendZeros(size_t count) {
    if (count > 0) std::memset(Append(count), 0, count * channels_ * sizeof(float));
  }
  void Drop(size_t count) { begin_ += count; }
  void Release() {
    memory_ = {};
    capacity_ = begin_ = end_ = 0;
  }
  void DropBack(size_t count) { end_ -= count; }

 private:
  static constexpr size_t kLong = 1 << 20;

  void Grow(size_t count) {
    const size_t waiting = rows();
    size_t capacity = capacity_;
    AlignedFloats fresh;
    float* to = memory_.data();
    // Twice the needed rows, so that they seldom move; for a whole clause, hardly more.
    const size_t needed = waiting + count + slack_;
    const bool whole = needed * channels_ >= kLong;
    if (needed > (whole ? capacity_ : capacity_ / 2)) {
      capacity = whole ? needed + needed / 16 : 2 * needed;
      fresh = AlignedFloats(capacity * channels_);
      to = fresh.data();
    }
    if (waiting > 0) std::memmove(to, front(), waiting * channels_ * sizeof(float));
    if (fresh.data() != nullptr) memory_ = std::move(fresh);
    capacity_ = capacity;
    begin_ = 0;
    end_ = waiting;
  }

  size_t channels_, slack_;
  AlignedFloats memory_;
  size_t capacity_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace trunkline::tts
