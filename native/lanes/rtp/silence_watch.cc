#include "lanes/rtp/silence_watch.h"

#include <algorithm>

namespace trunkline::rtp {

std::optional<SilenceWatch::State> SilenceWatch::Check(std::optional<double> heard_ms, bool expects,
                                                       double now_ms) {
  // An end that holds the call need not send.
  if (!expects) since_ms_ = now_ms;
  if (heard_ms) since_ms_ = std::max(since_ms_, *heard_ms);
  const double silent = silent_ms(now_ms);
  State state = State::kActive;
  if (quiet_ms_ > 0 && silent >= quiet_ms_) state = State::kSilent;
  if (dead_ms_ > 0 && silent >= dead_ms_) state = State::kTimedOut;
  if (state == state_) return std::nullopt;
  state_ = state;
  return state;
}

}  // namespace trunkline::rtp
