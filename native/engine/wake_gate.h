// Wakes JavaScript once, however much there is to drain: only the change from "nothing" to "something" is
// signalled.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

namespace trunkline::engine {

// Signal() is for media and pool threads: lock-free. The gate's own thread calls `wake`, because Node's
// thread-safe function allocates and takes a lock that JavaScript shares, which the frame path must not.
class WakeGate {
 public:
  // An empty `wake` is for an engine that is driven by hand: nothing is signalled.
  explicit WakeGate(std::function<void()> wake);
  ~WakeGate();

  void Signal();
  // JavaScript, before it drains: anything written from now on wakes it again.
  void Clear() { state_.store(kIdle, std::memory_order_seq_cst); }
  // No wake follows the return of Stop.
  void Stop();

  uint64_t wakes() const { return wakes_.load(std::memory_order_relaxed); }

 private:
  enum State : uint32_t { kIdle, kSignalled, kNotified, kStopped };
  void Run();

  std::function<void()> wake_;
  std::atomic<uint32_t> state_{kIdle};
  std::atomic<bool> stopping_{false};
  std::atomic<uint64_t> wakes_{0};
  std::thread thread_;
};

}  // namespace trunkline::engine
