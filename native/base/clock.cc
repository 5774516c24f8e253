#include "base/clock.h"

#include <chrono>

namespace trunkline::base {
namespace {

using Steady = std::chrono::steady_clock;

}  // namespace

int64_t SystemClock::Now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now().time_since_epoch()).count();
}

void SystemClock::WaitUntil(int64_t deadline) {
  const Steady::time_point until{
      std::chrono::duration_cast<Steady::duration>(std::chrono::nanoseconds(deadline))};
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [this] { return woken_; });
  woken_ = false;
}

void SystemClock::Wake() {
  {
    std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

void ManualClock::WaitUntil(int64_t deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return woken_ || Now() >= deadline; });
  woken_ = false;
}

void ManualClock::Wake() {
  {
    std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

void ManualClock::Advance(int64_t nanos) {
  {
    std::lock_guard lock(mutex_);
    now_.fetch_add(nanos, std::memory_order_acq_rel);
  }
  changed_.notify_all();
}

}  // namespace trunkline::base
