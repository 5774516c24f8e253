// A hummed tone: five harmonics, periodic as a voice is, though nobody speaks.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "speaker/embedder.h"

namespace trunkline::test {

inline std::vector<float> Tone(size_t count, double hertz) {
  std::vector<float> tone(count);
  for (size_t i = 0; i < count; ++i) {
    for (int harmonic = 1; harmonic < 6; ++harmonic) {
      const double t = static_cast<double>(i) / speaker::kRate;
      tone[i] += static_cast<float>(0.2 / harmonic * std::sin(2 * std::numbers::pi * hertz * harmonic * t));
    }
  }
  return tone;
}

}  // namespace trunkline::test
