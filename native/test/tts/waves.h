// Rows and columns of waves as the input of a generator, and how alike two sounds are.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace trunkline::tts {

inline std::vector<float> Waves(size_t rows, size_t columns, double size, double a, double b) {
  std::vector<float> out(rows * columns);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) {
      const auto row = static_cast<double>(r), column = static_cast<double>(c);
      out[r * columns + c] =
          static_cast<float>(size * std::sin(a * row + b * column + 0.01 * (row + 1) * column));
    }
  }
  return out;
}

inline double AgreementDb(std::span<const float> made, std::span<const float> reference) {
  double power = 0, error = 1e-30;
  for (size_t i = 0; i < reference.size(); ++i) {
    power += static_cast<double>(reference[i]) * reference[i];
    const double off = static_cast<double>(made[i]) - static_cast<double>(reference[i]);
    error += off * off;
  }
  return 10 * std::log10(power / error);
}

}  // namespace trunkline::tts
