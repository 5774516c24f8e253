#include "tts/toom_cook.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace trunkline::tts {
namespace {

// The coefficients of the product of (x - root), the lowest power first.
std::vector<double> Polynomial(std::span<const double> roots, size_t without) {
  std::vector<double> out{1};
  for (size_t k = 0; k < roots.size(); ++k) {
    if (k == without) continue;
    std::vector<double> next(out.size() + 1, 0);
    for (size_t i = 0; i < out.size(); ++i) {
      next[i + 1] += out[i];
      next[i] -= roots[k] * out[i];
    }
    out = std::move(next);
  }
  return out;
}

double Distances(std::span<const double> roots, size_t of) {
  double product = 1;
  for (size_t k = 0; k < roots.size(); ++k)
    if (k != of) product *= roots[of] - roots[k];
  return product;
}

// `finite`: all points but the last, which is infinity.
ToomCook Make(size_t outputs, std::span<const double> finite) {
  const size_t points = finite.size() + 1, taps = points + 1 - outputs, last = points - 1;
  ToomCook made{outputs, taps, points, {}, {}, {}};
  made.spread.resize(points * points);
  made.gather.resize(outputs * points);
  made.weights.resize(points * taps);
  for (size_t j = 0; j < points; ++j) {
    const auto row = Polynomial(finite, j < last ? j : SIZE_MAX);
    double largest = 0;
    for (const double value : row) largest = std::max(largest, std::fabs(value));
    // A power of two, so that the scaling itself rounds nothing.
    const double size = std::exp2(std::round(std::log2(largest)));
    for (size_t i = 0; i < row.size(); ++i) made.spread[j * points + i] = static_cast<float>(row[i] / size);
    const double distances = j < last ? Distances(finite, j) : 1;
    for (size_t i = 0; i < taps; ++i) {
      const double power = j < last ? std::pow(finite[j], i) : (i + 1 == taps ? 1 : 0);
      made.weights[j * taps + i] = power / distances * size;
    }
    for (size_t i = 0; i < outputs; ++i)
      made.gather[i * points + j] =
          static_cast<float>(j < last ? std::pow(finite[j], i) : (i + 1 == outputs ? 1 : 0));
  }
  return made;
}

}  // namespace

const ToomCook& ToomCookOfThree() {
  static constexpr double kPoints[] = {0, 1, -1, 2, -2};
  static const ToomCook made = Make(4, kPoints);
  return made;
}

const ToomCook& ToomCookOfFour() {
  static constexpr double kPoints[] = {0, 1, -1, 0.5, -0.5, 2};
  static const ToomCook made = Make(4, kPoints);
  return made;
}

}  // namespace trunkline::tts
