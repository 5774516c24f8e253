// An injectable clock: code that needs time takes a Clock, so that tests control it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace trunkline::base {

inline constexpr int64_t kNanosPerMilli = 1'000'000;

class Clock {
 public:
  virtual ~Clock() = default;
  // Monotonic nanoseconds.
  virtual int64_t Now() const = 0;
  // Returns at `deadline` on this clock, or earlier after Wake(). One thread waits at a time.
  virtual void WaitUntil(int64_t deadline) = 0;
  // Ends the current wait, or the next one.
  virtual void Wake() = 0;
};

class SystemClock final : public Clock {
 public:
  int64_t Now() const override;
  void WaitUntil(int64_t deadline) override;
  void Wake() override;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

// A clock for tests: it advances only by their calls.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t now = 0) : now_(now) {}
  int64_t Now() const override { return now_.load(std::memory_order_acquire); }
  void WaitUntil(int64_t deadline) override;
  void Wake() override;
  void Advance(int64_t nanos);

 private:
  std::atomic<int64_t> now_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

}  // namespace trunkline::base
