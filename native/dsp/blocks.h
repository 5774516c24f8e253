// Buffers of signals that are processed a block at a time. Realtime: no lock, no allocation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::dsp {

inline float EnergyOf(std::span<const float> samples) {
  float sum = 0;
  for (const float sample : samples) sum += sample * sample;
  return sum;
}

// Shifts the buffer by one block and appends `block`.
inline void Append(std::vector<float>& to, std::span<const float> block) {
  std::copy(to.begin() + static_cast<ptrdiff_t>(block.size()), to.end(), to.begin());
  std::copy(block.begin(), block.end(), to.end() - static_cast<ptrdiff_t>(block.size()));
}

}  // namespace trunkline::dsp
