// Removes or inserts a pitch period, so that a stream's delay changes inaudibly. Realtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace trunkline::rtp {

class TimeScale {
 public:
  explicit TimeScale(int rate);

  // Shorten and Lengthen need this many samples.
  size_t needed() const { return 2 * longest_; }

  // Returns how many samples were removed near the beginning; the rest lies at the front. 0: there is no
  // period to remove.
  size_t Shorten(std::span<int16_t> sound) const;
  // `room` holds `size` samples and space for needed() / 2 more. Returns how many were inserted.
  size_t Lengthen(std::span<int16_t> room, size_t size) const;

 private:
  // The lag at which the audio repeats itself closely enough; nothing when there is none.
  std::optional<size_t> Period(std::span<const int16_t> sound) const;

  size_t shortest_, longest_;
};

}  // namespace trunkline::rtp
