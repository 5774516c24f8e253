#include "lanes/omni/caller_track.h"

#include <algorithm>

namespace trunkline::omni {
namespace {

constexpr size_t kRingS = 4;
// A line whose frames drift from their own time by more than this has paused or lost some.
constexpr double kApartS = 0.12;

}  // namespace

CallerTrack::CallerTrack(size_t rate)
    : apart_(static_cast<uint64_t>(kApartS * static_cast<double>(rate))), ring_(kRingS * rate) {
  came_.reserve(kRingS * rate);
}

void CallerTrack::Add(std::span<const int16_t> samples) {
  const size_t free = ring_.size() / 2 - std::min(ring_.size() / 2, came_.size());
  samples = samples.last(std::min(samples.size(), free));
  came_.insert(came_.end(), samples.begin(), samples.end());
}

// A line that sends all the time is its own clock; a line that has paused continues at the media clock.
void CallerTrack::Place(uint64_t clock) {
  if (came_.empty()) return;
  size_t count = came_.size();
  uint64_t start = to_;
  if (!heard_ || start + count + apart_ < clock)
    start = std::max<uint64_t>(start, clock - std::min(clock, uint64_t{count}));
  if (start + count > clock + apart_)
    count = static_cast<size_t>(clock + apart_ - std::min(clock + apart_, start));
  const uint64_t oldest = start - std::min<uint64_t>(start, ring_.size());
  for (uint64_t at = std::max(to_, oldest); at < start; ++at) ring_[at % ring_.size()] = 0;
  for (size_t i = 0; i < count; ++i) ring_[(start + i) % ring_.size()] = came_[i];
  to_ = std::max(to_, start + count);
  heard_ = true;
  came_.clear();
}

}  // namespace trunkline::omni
