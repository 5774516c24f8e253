#include "lanes/hear/sound_ring.h"

#include <algorithm>
#include <cmath>

#include "lanes/hear/tasks.h"

namespace trunkline::hear {

SoundRing::SoundRing() : ring_(kSize) {
  range_.reserve(kTaskSamples);
}

void SoundRing::Add(std::span<const float> samples) {
  for (const float sample : samples) ring_[total_++ % kSize] = sample;
}

std::span<const float> SoundRing::Range(double start_s, double end_s) {
  const auto last = std::min(total_, static_cast<uint64_t>(std::llround(end_s * kRate)));
  auto first = static_cast<uint64_t>(std::llround(std::max(0.0, start_s) * kRate));
  const uint64_t oldest = total_ > kSize ? total_ - kSize : 0;
  first = std::max({first, oldest, last > kTaskSamples ? last - kTaskSamples : 0});
  range_.clear();
  for (uint64_t i = first; i < last; ++i) range_.push_back(ring_[i % kSize]);
  return range_;
}

}  // namespace trunkline::hear
