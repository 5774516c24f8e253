// The media clock of a call; it begins with the lane's first tick. Media thread.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/engine.h"

namespace trunkline::omni {

class MediaTime {
 public:
  explicit MediaTime(int rate) : rate_(rate) {}

  int rate() const { return rate_; }
  // The clock in samples at the lane's rate.
  uint64_t Clock(const engine::LaneIo& io) { return Ticks(io) * static_cast<uint64_t>(rate_) / 100; }
  double NowMs(const engine::LaneIo& io) { return static_cast<double>(Ticks(io)) * kTickMs; }

  static constexpr double kTickMs = 10;

 private:
  uint64_t Ticks(const engine::LaneIo& io) {
    if (!first_tick_) first_tick_ = io.tick();
    return io.tick() - *first_tick_;
  }

  const int rate_;
  std::optional<uint64_t> first_tick_;
};

}  // namespace trunkline::omni
