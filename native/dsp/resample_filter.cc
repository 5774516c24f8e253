#include "dsp/resample_filter.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "dsp/remez.h"

namespace trunkline::dsp {
namespace {

struct Limits {
  double pass;  // edges, as shares of the lower Nyquist frequency
  double stop;
  double ripple_db;  // greatest deviation from 0 dB
  double rejection_db;
};

// The specified limits with a margin for rounding the taps to floats.
Limits LimitsOf(Grade grade) {
  if (grade == Grade::kStrict) return {0.9, 1.0, 0.0046, 100.8};
  return {0.85, 1.0, 0.02, 91.2};
}

// One tone has an image in each of the `up` bands, and all of them add up.
double ImagesInDecibels(int up) {
  return 10 * std::log10(std::min(up, 6));
}

// Longer designs take too long at startup, and the ratios that need them are rare.
constexpr int kMaxEquiripple = 1300;

// Herrmann's estimate of the equiripple length, a little longer, because it errs to both sides.
int EquirippleLength(double ripple, double rejection, double transition) {
  const double p = std::log10(ripple), s = std::log10(rejection);
  const double d = (0.005309 * p * p + 0.07114 * p - 0.4761) * s - (0.00266 * p * p + 0.5941 * p + 0.4278);
  const double f = 11.012 + 0.51244 * (p - s);
  const int length = static_cast<int>(std::ceil(d / transition - f * transition)) + 3;
  return length | 1;
}

double BesselI0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > sum * 1e-18; ++k) {
    term *= (x / 2 / k) * (x / 2 / k);
    sum += term;
  }
  return sum;
}

// Moves the middle to a multiple of `down` and fills the last phase.
LowPass Place(std::vector<double> taps, RateRatio ratio, bool equiripple) {
  const int middle = static_cast<int>(taps.size() - 1) / 2;
  const int delay = (middle + ratio.down - 1) / ratio.down * ratio.down;
  taps.insert(taps.begin(), static_cast<size_t>(delay - middle), 0.0);
  const size_t up = static_cast<size_t>(ratio.up);
  taps.resize((taps.size() + up - 1) / up * up, 0.0);
  for (double& tap : taps) tap *= ratio.up;
  return {std::move(taps), delay, equiripple};
}

}  // namespace

RateRatio RateRatio::Of(int input_rate, int output_rate) {
  const int divisor = std::gcd(input_rate, output_rate);
  return {output_rate / divisor, input_rate / divisor};
}

std::vector<double> DesignKaiser(int length, double cutoff, double beta) {
  std::vector<double> taps(static_cast<size_t>(length));
  const double middle = (length - 1) / 2.0;
  for (int n = 0; n < length; ++n) {
    const double t = n - middle;
    const double sinc =
        t == 0 ? 2 * cutoff : std::sin(2 * std::numbers::pi * cutoff * t) / (std::numbers::pi * t);
    const double r = t / (middle + 0.5);
    taps[static_cast<size_t>(n)] =
        sinc * BesselI0(beta * std::sqrt(std::max(0.0, 1 - r * r))) / BesselI0(beta);
  }
  return taps;
}

namespace {

// The filter that a ratio and a grade need, in cycles a sample of the rate at which its taps run.
struct Specification {
  double pass, stop, ripple, rejection;
};

Specification WantedOf(double nyquist, int up, const Limits& limits) {
  const double rejection_db = limits.rejection_db + ImagesInDecibels(up);
  return {limits.pass * nyquist, limits.stop * nyquist, std::pow(10, limits.ripple_db / 20) - 1,
          std::pow(10, -rejection_db / 20)};
}

std::optional<std::vector<double>> TryEquiripple(const Specification& wanted) {
  const int length = EquirippleLength(wanted.ripple, wanted.rejection, wanted.stop - wanted.pass);
  if (length > kMaxEquiripple) return std::nullopt;
  return DesignEquiripple(
      length, {{0, wanted.pass, 1, 1 / wanted.ripple}, {wanted.stop, 0.5, 0, 1 / wanted.rejection}});
}

// Reads the impulse response `taps` `1 / step` times as densely, through a Kaiser-windowed sinc. `held` is
// its highest frequency, in cycles a tap.
std::vector<double> Interpolate(const std::vector<double>& taps, double step, double held,
                                double rejection_db) {
  const double beta = 0.1102 * (rejection_db - 8.7), scale = step / BesselI0(beta);
  const double width = 2 * std::numbers::pi * (1 - 2 * held);
  const double radius = std::ceil((rejection_db - 7.95) / (2.285 * width) / 2) + 0.5;
  const double middle = (static_cast<double>(taps.size()) - 1) / 2;
  const int half = static_cast<int>((middle + radius) / step);
  std::vector<double> fine(static_cast<size_t>(2 * half) + 1);
  for (int i = -half; i <= half; ++i) {
    const double t = middle + i * step;
    const int first = std::max(0, static_cast<int>(std::ceil(t - radius)));
    const int last = std::min(static_cast<int>(taps.size()) - 1, static_cast<int>(std::floor(t + radius)));
    double sum = 0;
    for (int n = first; n <= last; ++n) {
      const double x = t - n, r = x / radius;
      const double sinc = x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
      sum += taps[static_cast<size_t>(n)] * sinc * BesselI0(beta * std::sqrt(std::max(0.0, 1 - r * r)));
    }
    fine[static_cast<size_t>(i + half)] = sum * scale;
  }
  return fine;
}

// An equiripple filter at one to four times the input rate, with its impulse response interpolated to `up`
// times. Its content lies well below half the coarse rate, so a short interpolator suffices.
std::optional<std::vector<double>> TryInterpolated(RateRatio ratio, const Limits& limits) {
  constexpr double kMaxHeld = 0.26;
  const double nyquist_of_input = 0.5 * std::min(1.0, static_cast<double>(ratio.up) / ratio.down);
  for (int coarse = 1; coarse <= 4; ++coarse) {
    const double held = limits.stop * nyquist_of_input / coarse;
    if (held > kMaxHeld) continue;
    const auto taps = TryEquiripple(WantedOf(nyquist_of_input / coarse, coarse, limits));
    if (!taps) return std::nullopt;
    return Interpolate(*taps, static_cast<double>(coarse) / ratio.up, held, limits.rejection_db + 10);
  }
  return std::nullopt;
}

}  // namespace

LowPass DesignLowPass(RateRatio ratio, Grade grade) {
  const Limits limits = LimitsOf(grade);
  const Specification wanted = WantedOf(0.5 / std::max(ratio.up, ratio.down), ratio.up, limits);
  if (auto taps = TryEquiripple(wanted)) return Place(std::move(*taps), ratio, true);
  if (auto taps = TryInterpolated(ratio, limits)) return Place(std::move(*taps), ratio, true);
  const double attenuation = limits.rejection_db + 1;
  const double width = 2 * std::numbers::pi * (wanted.stop - wanted.pass);
  const int length = static_cast<int>(std::ceil((attenuation - 7.95) / (2.285 * width))) | 1;
  const double beta = 0.1102 * (attenuation - 8.7);
  return Place(DesignKaiser(length, (wanted.pass + wanted.stop) / 2, beta), ratio, false);
}

}  // namespace trunkline::dsp
