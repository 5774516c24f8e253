#include "dsp/remez.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace trunkline::dsp {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr int kGridDensity = 16;
constexpr int kMaxExchanges = 60;

struct Grid {
  std::vector<double> frequency, x, wanted, weight;
  std::vector<size_t> band_ends;  // index after each band's last point

  void Add(double f, double gain, double w) {
    frequency.push_back(f);
    x.push_back(std::cos(kTwoPi * f));
    wanted.push_back(gain);
    weight.push_back(w);
  }
};

// The polynomial in cos(2 pi f) through the wanted values at the extremals, less the alternating error, in
// barycentric form: exact enough for some thousand terms, where a power basis would not be.
class Interpolant {
 public:
  Interpolant(const Grid& grid, const std::vector<size_t>& extremals) {
    const size_t count = extremals.size();
    nodes_.resize(count);
    for (size_t i = 0; i < count; ++i) nodes_[i] = grid.x[extremals[i]];
    const std::vector<double> all = Weights(count);
    double numerator = 0, denominator = 0;
    for (size_t i = 0; i < count; ++i) {
      numerator += all[i] * grid.wanted[extremals[i]];
      denominator += (i % 2 == 0 ? all[i] : -all[i]) / grid.weight[extremals[i]];
    }
    deviation_ = numerator / denominator;
    values_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const double error = deviation_ / grid.weight[extremals[i]];
      values_[i] = grid.wanted[extremals[i]] - (i % 2 == 0 ? error : -error);
    }
    // The last node is one too many for the degree; the rest define the polynomial.
    nodes_.pop_back();
    values_.pop_back();
    weights_ = Weights(count - 1);
  }

  double deviation() const { return std::abs(deviation_); }

  double At(double x) const {
    double numerator = 0, denominator = 0;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const double distance = x - nodes_[i];
      if (std::abs(distance) < 1e-15) return values_[i];
      const double part = weights_[i] / distance;
      numerator += part * values_[i];
      denominator += part;
    }
    return numerator / denominator;
  }

 private:
  std::vector<double> Weights(size_t count) const {
    std::vector<double> weights(count);
    for (size_t i = 0; i < count; ++i) {
      double product = 1;
      // The factor 2 keeps the product near 1: nodes in -1..1 lie about half a unit apart in the geometric
      // mean.
      for (size_t k = 0; k < count; ++k) {
        if (k != i) product *= 2 * (nodes_[i] - nodes_[k]);
      }
      weights[i] = 1 / product;
    }
    return weights;
  }

  std::vector<double> nodes_, values_, weights_;
  double deviation_ = 0;
};

// Finds the local extremes of the error, alternating in sign, the largest of each run.
std::vector<size_t> FindExtremals(const Grid& grid, const std::vector<double>& error, size_t wanted) {
  std::vector<size_t> found;
  size_t band_start = 0;
  for (size_t band_end : grid.band_ends) {
    for (size_t i = band_start; i < band_end; ++i) {
      const double e = error[i];
      const bool above_left = i == band_start || (e > 0 ? e >= error[i - 1] : e <= error[i - 1]);
      const bool above_right = i + 1 == band_end || (e > 0 ? e > error[i + 1] : e < error[i + 1]);
      if (!above_left || !above_right || e == 0) continue;
      if (!found.empty() && (error[found.back()] > 0) == (e > 0)) {
        if (std::abs(e) > std::abs(error[found.back()])) found.back() = i;
      } else {
        found.push_back(i);
      }
    }
    band_start = band_end;
  }
  while (found.size() > wanted) {
    if (std::abs(error[found.front()]) < std::abs(error[found.back()])) {
      found.erase(found.begin());
    } else {
      found.pop_back();
    }
  }
  return found;
}

std::optional<Interpolant> Exchange(const Grid& grid, size_t terms) {
  const size_t wanted = terms + 1;
  if (grid.x.size() < wanted) return std::nullopt;
  std::vector<size_t> extremals(wanted);
  for (size_t i = 0; i < wanted; ++i) extremals[i] = i * (grid.x.size() - 1) / (wanted - 1);
  std::vector<double> error(grid.x.size());
  for (int round = 0; round < kMaxExchanges; ++round) {
    Interpolant fit(grid, extremals);
    double largest = 0;
    for (size_t i = 0; i < grid.x.size(); ++i) {
      error[i] = (grid.wanted[i] - fit.At(grid.x[i])) * grid.weight[i];
      largest = std::max(largest, std::abs(error[i]));
    }
    if (!std::isfinite(largest)) return std::nullopt;
    if (largest <= fit.deviation() * 1.001) return fit;
    extremals = FindExtremals(grid, error, wanted);
    if (extremals.size() < wanted) return std::nullopt;
  }
  return std::nullopt;
}

void AddBand(Grid& grid, size_t terms, const Band& band) {
  const double step = 0.5 / (kGridDensity * static_cast<double>(terms));
  const int points = std::max(2, static_cast<int>((band.to - band.from) / step) + 1);
  for (int i = 0; i < points; ++i) {
    const double f = band.from + (band.to - band.from) * i / (points - 1);
    grid.Add(f, band.gain, band.weight);
  }
  grid.band_ends.push_back(grid.x.size());
}

}  // namespace

std::optional<std::vector<double>> DesignEquiripple(int length, const std::vector<Band>& bands) {
  const int half = (length - 1) / 2;
  const size_t terms = static_cast<size_t>(half) + 1;
  Grid grid;
  for (const Band& band : bands) AddBand(grid, terms, band);
  const auto fit = Exchange(grid, terms);
  if (!fit) return std::nullopt;
  // `length` samples of the response give its taps exactly.
  std::vector<double> response(terms), taps(static_cast<size_t>(length));
  for (int k = 0; k <= half; ++k) response[static_cast<size_t>(k)] = fit->At(std::cos(kTwoPi * k / length));
  for (int n = 0; n <= half; ++n) {
    double sum = response[0];
    for (int k = 1; k <= half; ++k)
      sum += 2 * response[static_cast<size_t>(k)] * std::cos(kTwoPi * k * n / length);
    taps[static_cast<size_t>(half + n)] = taps[static_cast<size_t>(half - n)] = sum / length;
  }
  return taps;
}

}  // namespace trunkline::dsp
