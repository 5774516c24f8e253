// Measures the share of clipped samples, at the end of the scale. Realtime: no lock, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trunkline::dsp {

// Full scale of u-law. A-law and PCM reach a little further.
constexpr int kFullScale = 32124;

size_t ClippedIn(std::span<const int16_t> samples);

class ClipMeter {
 public:
  void Heard(std::span<const int16_t> samples) {
    samples_ += samples.size();
    clipped_ += ClippedIn(samples);
  }
  // 0 to 1; below 0 without samples.
  double share() const {
    return samples_ == 0 ? -1 : static_cast<double>(clipped_) / static_cast<double>(samples_);
  }

 private:
  uint64_t samples_ = 0, clipped_ = 0;
};

}  // namespace trunkline::dsp
