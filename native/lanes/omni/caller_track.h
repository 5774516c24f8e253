// The caller's audio by the media clock, for the recording: late frames find their place, and missing ones
// are silent. Media thread; no allocation after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::omni {

class CallerTrack {
 public:
  explicit CallerTrack(size_t rate);

  // Adds audio that came now; Place aligns it once a tick.
  void Add(std::span<const int16_t> samples);
  void Place(uint64_t clock);
  // Returns the sample at this moment of the clock, or silence where none is stored.
  int16_t At(uint64_t clock) const {
    const bool known = clock < to_ && clock + ring_.size() >= to_;
    return known ? ring_[clock % ring_.size()] : int16_t{0};
  }

 private:
  const uint64_t apart_;
  std::vector<int16_t> came_;
  std::vector<int16_t> ring_;
  uint64_t to_ = 0;
  bool heard_ = false;
};

}  // namespace trunkline::omni
