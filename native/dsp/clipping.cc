#include "dsp/clipping.h"

namespace trunkline::dsp {

size_t ClippedIn(std::span<const int16_t> samples) {
  int clipped = 0;
  for (const int16_t sample : samples) clipped += sample >= kFullScale || sample <= -kFullScale ? 1 : 0;
  return static_cast<size_t>(clipped);
}

}  // namespace trunkline::dsp
