// Reports when the other end's packets stop, and when they come again. Realtime.
#pragma once

#include <cstdint>
#include <optional>

namespace trunkline::rtp {

class SilenceWatch {
 public:
  enum class State : uint32_t { kActive = 0, kSilent = 1, kTimedOut = 2 };

  SilenceWatch(double quiet_ms, double dead_ms) : quiet_ms_(quiet_ms), dead_ms_(dead_ms) {}

  // Packets are expected from now on: the call is up, or no longer held.
  void Expect(double now_ms) { since_ms_ = now_ms; }
  double silent_ms(double now_ms) const { return now_ms - since_ms_; }
  // Returns the state when it has just changed.
  std::optional<State> Check(std::optional<double> heard_ms, bool expects, double now_ms);

 private:
  const double quiet_ms_, dead_ms_;
  double since_ms_ = 0;
  State state_ = State::kActive;
};

}  // namespace trunkline::rtp
