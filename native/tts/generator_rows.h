// Memory of the generator: floats on the boundary of a cache line, and rows that wait in order.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace trunkline::tts {

class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(size_t count)
      : memory_(static_cast<float*>(std::aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64 + 64))) {
    if (memory_ == nullptr) throw std::bad_alloc();
    std::memset(memory_.get(), 0, count * sizeof(float));
  }
  float* data() { return memory_.get(); }
  const float* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  std::unique_ptr<float, Free> memory_;
};

// Rows of one width, appended behind and taken from the front. There is always room to read `slack` rows
// behind the last.
class RowQueue {
 public:
  explicit RowQueue(size_t channels, size_t slack = 0) : channels_(channels), slack_(slack) {}

  size_t rows() const { return end_ - begin_; }
  size_t channels() const { return channels_; }
  const float* front() const { return memory_.data() + begin_ * channels_; }

  // Room for `count` rows behind the last, which belong to the queue from now on.
  float* Append(size_t count) {
    if (end_ + count + slack_ > capacity_) MakeRoom(count);
    float* room = memory_.data() + end_ * channels_;
    end_ += count;
    return room;
  }
  void AppendZeros(size_t count) {
    if (count > 0) std::memset(Append(count), 0, count * channels_ * sizeof(float));
  }
  void Drop(size_t count) { begin_ += count; }
  // Takes the last rows back.
  void DropBack(size_t count) { end_ -= count; }

 private:
  void MakeRoom(size_t count) {
    const size_t waiting = rows();
    size_t capacity = capacity_;
    AlignedFloats fresh;
    float* to = memory_.data();
    if (waiting + count + slack_ > capacity_ / 2) {
      capacity = 2 * (waiting + count + slack_);
      fresh = AlignedFloats(capacity * channels_);
      to = fresh.data();
    }
    if (waiting > 0) std::memmove(to, front(), waiting * channels_ * sizeof(float));
    if (capacity != capacity_) memory_ = std::move(fresh);
    capacity_ = capacity;
    begin_ = 0;
    end_ = waiting;
  }

  size_t channels_, slack_;
  AlignedFloats memory_;
  size_t capacity_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace trunkline::tts
