// Takes a pitch period out of sound, or puts one in, so that a stream's delay changes unheard. Realtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace trunkline::rtp {

class TimeScale {
 public:
  explicit TimeScale(int rate);

  // What Shorten and Lengthen need.
  size_t needed() const { return 2 * longest_; }

  // Samples that are gone from the beginning's neighbourhood; what is left lies at the front. 0: the sound has
  // no period that could be missed.
  size_t Shorten(std::span<int16_t> sound) const;
  // `room` holds `size` samples and space behind them for needed() / 2 more. Samples that came in.
  size_t Lengthen(std::span<int16_t> room, size_t size) const;

 private:
  // At which the sound is so like itself that nobody hears a change; nothing for what changes all the time.
  std::optional<size_t> Period(std::span<const int16_t> sound) const;

  size_t shortest_, longest_;
};

}  // namespace trunkline::rtp
