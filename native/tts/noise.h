// Normally distributed noise by SplitMix64 and the Box-Muller transform: the same numbers on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <tuple>
#include <utility>

namespace trunkline::tts {

class Noise {
 public:
  explicit Noise(uint64_t seed) : state_(seed) {}

  std::pair<float, float> Pair() {
    const double radius = std::sqrt(-2.0 * std::log(Uniform()));
    const double angle = 2.0 * std::numbers::pi * Uniform();
    return {static_cast<float>(radius * std::cos(angle)), static_cast<float>(radius * std::sin(angle))};
  }

  // Fills [rows, columns], column by column, so that the first columns do not depend on how many there are.
  // `rows` is even.
  void Fill(size_t rows, std::span<float> out) {
    const size_t columns = out.size() / rows;
    for (size_t column = 0; column < columns; ++column)
      for (size_t row = 0; row + 1 < rows; row += 2)
        std::tie(out[row * columns + column], out[(row + 1) * columns + column]) = Pair();
  }

 private:
  double Uniform() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return (static_cast<double>(z >> 11) + 0.5) / 9007199254740992.0;
  }
  uint64_t state_;
};

}  // namespace trunkline::tts
