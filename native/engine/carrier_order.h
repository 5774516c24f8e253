// Orders a carrier's messages by their timestamps: duplicates and late messages are dropped, and gaps are
// filled with silence, so that a lane's clock stays the call's. One for each lane with a carrier's stream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace trunkline::engine {

class CarrierOrder {
 public:
  static constexpr int64_t kBytesPerMs = 8;  // G.711
  static constexpr int64_t kSlackMs = 10;
  // A longer gap restarts the stream, because minutes of silence at once are useless to a lane.
  static constexpr int64_t kMaxFillMs = 1000;

  struct Place {
    bool wanted = true;
    size_t silence = 0;  // bytes before it
  };

  // Places a message that begins at `timestamp_ms`. The state changes only in Took.
  Place PlaceOf(std::optional<int64_t> timestamp_ms) const {
    if (!timestamp_ms || !next_ms_) return {};
    const int64_t gap = *timestamp_ms - *next_ms_;
    // The carrier has restarted its clock.
    if (gap < -kMaxFillMs * 60) return {};
    if (gap < -kSlackMs) return {.wanted = false};
    if (gap <= kSlackMs || gap > kMaxFillMs * 60) return {};
    return {.silence = static_cast<size_t>(std::min(gap, kMaxFillMs) * kBytesPerMs)};
  }
  void Took(std::optional<int64_t> timestamp_ms, size_t bytes) {
    if (timestamp_ms) next_ms_ = *timestamp_ms + static_cast<int64_t>(bytes) / kBytesPerMs;
  }

 private:
  std::optional<int64_t> next_ms_;
};

}  // namespace trunkline::engine
