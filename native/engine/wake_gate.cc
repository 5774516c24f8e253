#include "engine/wake_gate.h"

#include "engine/thread_name.h"

namespace trunkline::engine {

WakeGate::WakeGate(std::function<void()> wake) : wake_(std::move(wake)) {
  if (wake_) thread_ = std::thread([this] { Run(); });
}

WakeGate::~WakeGate() {
  Stop();
}

void WakeGate::Signal() {
  uint32_t idle = kIdle;
  // seq_cst: a thread that clears after this sees all earlier writes.
  if (state_.compare_exchange_strong(idle, kSignalled, std::memory_order_seq_cst)) state_.notify_one();
}

void WakeGate::Run() {
  NameThisThread("trunk-wake");
  for (;;) {
    uint32_t seen = state_.load(std::memory_order_seq_cst);
    if (seen == kStopped || stopping_.load()) return;
    if (seen != kSignalled) {
      state_.wait(seen);
      continue;
    }
    if (!state_.compare_exchange_strong(seen, kNotified)) continue;
    wakes_.fetch_add(1, std::memory_order_relaxed);
    wake_();
  }
}

void WakeGate::Stop() {
  stopping_.store(true);
  state_.store(kStopped);
  state_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace trunkline::engine
