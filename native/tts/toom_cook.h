// Toom-Cook convolution along time. It computes `outputs` neighbouring outputs of a convolution of `taps`
// taps from outputs + taps - 1 products: the input is spread over that many points, multiplied at each point
// and gathered. A longer convolution is a sum of pieces, as many taps apart as a group has outputs: at each
// point it is a convolution of groups with one tap a piece, to which Toom-Cook is applied once more.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace trunkline::tts {

struct ToomCook {
  static constexpr size_t kMaxPoints = 7, kMaxOutputs = 4;

  size_t outputs = 0, taps = 0, points = 0;
  std::array<float, kMaxPoints * kMaxPoints> spread{};     // [points][points]
  std::array<float, kMaxOutputs * kMaxPoints> gather{};    // [outputs][points]
  std::array<double, kMaxPoints * kMaxOutputs> weights{};  // [points][taps]
};

// `finite`: all points but the last, which is infinity.
constexpr ToomCook MakeToomCook(size_t outputs, std::span<const double> finite) {
  const size_t points = finite.size() + 1, taps = points + 1 - outputs, last = points - 1;
  ToomCook made{outputs, taps, points, {}, {}, {}};
  for (size_t j = 0; j < points; ++j) {
    // The coefficients of the product of (x - root) without this point's, the lowest power first.
    std::array<double, ToomCook::kMaxPoints> row{1};
    double distances = 1;
    for (size_t k = 0; k < last; ++k) {
      if (k == j) continue;
      for (size_t i = points - 1; i > 0; --i) row[i] = row[i - 1] - finite[k] * row[i];
      row[0] *= -finite[k];
      if (j < last) distances *= finite[j] - finite[k];
    }
    double largest = 0, size = 1;
    for (const double value : row) largest = std::max(largest, value < 0 ? -value : value);
    // A power of two, so that the scaling itself does not round.
    while (largest > size * 1.5) size *= 2;
    while (largest < size * 0.75) size /= 2;
    for (size_t i = 0; i < points; ++i) made.spread[j * points + i] = static_cast<float>(row[i] / size);
    double power = 1;
    for (size_t i = 0; i < std::max(taps, outputs); ++i) {
      const auto at = [&](size_t end) { return j < last ? power : (i + 1 == end ? 1.0 : 0.0); };
      if (i < taps) made.weights[j * taps + i] = at(taps) / distances * size;
      if (i < outputs) made.gather[i * points + j] = static_cast<float>(at(outputs));
      if (j < last) power *= finite[j];
    }
  }
  return made;
}

// A point lies at across * within.points + within: `within` a group of rows, `across` neighbouring groups.
struct ToomCookPlan {
  ToomCook within, across;

  constexpr size_t outputs() const { return within.outputs * across.outputs; }
  constexpr size_t taps() const { return within.taps * across.taps; }
  constexpr size_t points() const { return within.points * across.points; }
  // The contribution of a tap to a point.
  constexpr double weight(size_t point, size_t tap) const {
    const size_t piece = tap / within.taps, k = tap % within.taps;
    return across.weights[point / within.points * across.taps + piece] *
           within.weights[point % within.points * within.taps + k];
  }
};

namespace roots {
inline constexpr std::array<double, 2> kTwo{0, 1};
inline constexpr std::array<double, 3> kThree{0, 1, -1};
inline constexpr std::array<double, 5> kFive{0, 1, -1, 2, -2};
inline constexpr std::array<double, 6> kSix{0, 1, -1, 0.5, -0.5, 2};
}  // namespace roots

// Four outputs of three taps by 6 products, eight of eight taps by 21, or eight of twelve taps by 28.
inline constexpr ToomCookPlan kToomCookOfThree{MakeToomCook(4, roots::kFive), MakeToomCook(1, {})};
inline constexpr ToomCookPlan kToomCookOfEight{MakeToomCook(4, roots::kSix), MakeToomCook(2, roots::kTwo)};
inline constexpr ToomCookPlan kToomCookOfTwelve{MakeToomCook(4, roots::kSix), MakeToomCook(2, roots::kThree)};

}  // namespace trunkline::tts
