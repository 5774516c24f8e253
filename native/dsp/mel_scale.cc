#include "dsp/mel_scale.h"

#include <algorithm>
#include <cmath>

namespace trunkline::dsp {
namespace {

constexpr double kFirstLogHertz = 1000.0;
constexpr double kHertzPerMel = 200.0 / 3.0;
constexpr double kFirstLogMel = kFirstLogHertz / kHertzPerMel;
const double kLogStep = std::log(6.4) / 27.0;

}  // namespace

double MelOf(double hertz) {
  return hertz < kFirstLogHertz ? hertz / kHertzPerMel
                                : kFirstLogMel + std::log(hertz / kFirstLogHertz) / kLogStep;
}

double HertzOf(double mel) {
  return mel < kFirstLogMel ? mel * kHertzPerMel : kFirstLogHertz * std::exp((mel - kFirstLogMel) * kLogStep);
}

std::vector<MelBand> MelBands(size_t count, double rate, size_t points) {
  const size_t bins = points / 2 + 1;
  const auto edge = [&](size_t at) {
    return HertzOf(MelOf(rate / 2) * static_cast<double>(at) / static_cast<double>(count + 1));
  };
  std::vector<MelBand> bands;
  for (size_t b = 0; b < count; ++b) {
    MelBand band{.low = edge(b), .middle = edge(b + 1), .high = edge(b + 2), .first = bins, .weights = {}};
    const double area = 2.0 / (band.high - band.low);
    for (size_t k = 0; k < bins; ++k) {
      const double hertz = static_cast<double>(k) * rate / static_cast<double>(points);
      const double rise = (hertz - band.low) / (band.middle - band.low);
      const double fall = (band.high - hertz) / (band.high - band.middle);
      const double weight = std::min(rise, fall) * area;
      if (weight <= 0) continue;
      if (band.weights.empty()) band.first = k;
      band.weights.push_back(weight);
    }
    bands.push_back(std::move(band));
  }
  return bands;
}

}  // namespace trunkline::dsp
