// A carrier's messages in the order of their own times: what came twice or too late is left out, and what is
// missing is filled with silence, so that a lane's clock stays the call's. One for each lane that is fed so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace trunkline::engine {

class CarrierOrder {
 public:
  static constexpr int64_t kBytesPerMs = 8;  // G.711
  static constexpr int64_t kSlackMs = 10;
  // A gap that is longer is a new beginning: nobody wants minutes of silence at once.
  static constexpr int64_t kMostFillMs = 1000;

  struct Place {
    bool wanted = true;
    size_t silence = 0;  // bytes before it
  };

  // Of a message that begins at `timestamp_ms`. Nothing moves before Took.
  Place PlaceOf(std::optional<int64_t> timestamp_ms) const {
    if (!timestamp_ms || !next_ms_) return {};
    const int64_t gap = *timestamp_ms - *next_ms_;
    // A clock that begins anew.
    if (gap < -kMostFillMs * 60) return {};
    if (gap < -kSlackMs) return {.wanted = false};
    if (gap <= kSlackMs || gap > kMostFillMs * 60) return {};
    return {.silence = static_cast<size_t>(std::min(gap, kMostFillMs) * kBytesPerMs)};
  }
  void Took(std::optional<int64_t> timestamp_ms, size_t bytes) {
    if (timestamp_ms) next_ms_ = *timestamp_ms + static_cast<int64_t>(bytes) / kBytesPerMs;
  }

 private:
  std::optional<int64_t> next_ms_;
};

}  // namespace trunkline::engine
