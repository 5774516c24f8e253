#include "dsp/true_peak.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numbers>

#include "dsp/loudness.h"

namespace trunkline::dsp {
namespace {

constexpr size_t kTaps = 2 * TruePeak::kMargin;
constexpr size_t kPhases = 3;  // the fourth is the samples themselves
constexpr double kSlopeMs = 8;

using Phase = std::array<float, kTaps>;

double BesselZero(double x) {
  double sum = 1, term = 1;
  for (int i = 1; i < 32; ++i) {
    term *= (x / (2 * i)) * (x / (2 * i));
    sum += term;
  }
  return sum;
}

// A Kaiser-windowed sinc for each quarter between two samples.
std::array<Phase, kPhases> MakePhases() {
  constexpr double kBeta = 7;
  std::array<Phase, kPhases> phases;
  for (size_t p = 0; p < kPhases; ++p) {
    const double shift = static_cast<double>(p + 1) / 4;
    double sum = 0;
    for (size_t i = 0; i < kTaps; ++i) {
      const double x = static_cast<double>(i) - (kTaps / 2 - 1) - shift;
      const double edge = x / (kTaps / 2);
      const double window = BesselZero(kBeta * std::sqrt(std::max(0.0, 1 - edge * edge))) / BesselZero(kBeta);
      const double sinc = std::abs(x) < 1e-12 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
      phases[p][i] = static_cast<float>(sinc * window);
      sum += sinc * window;
    }
    for (float& tap : phases[p]) tap = static_cast<float>(tap / sum);
  }
  return phases;
}

const std::array<Phase, kPhases>& Phases() {
  static const std::array<Phase, kPhases> kMade = MakePhases();
  return kMade;
}

// Returns the least of each 2 * margin + 1 numbers: out[i] is that of in[i, i + 2 * margin].
std::vector<float> MinAround(const std::vector<float>& in, size_t margin) {
  std::vector<float> out(in.size() - 2 * margin);
  std::deque<size_t> rising;
  for (size_t i = 0; i < in.size(); ++i) {
    while (!rising.empty() && in[rising.back()] >= in[i]) rising.pop_back();
    rising.push_back(i);
    if (rising.front() + 2 * margin < i) rising.pop_front();
    if (i >= 2 * margin) out[i - 2 * margin] = in[rising.front()];
  }
  return out;
}

}  // namespace

void TruePeak::Follow(std::span<const float> in, std::span<float> out) {
  const auto& phases = Phases();
  for (size_t n = 0; n < out.size(); ++n) {
    float largest = std::abs(in[n + kMargin]);
    // The taps lie around the gap behind sample n.
    const float* from = in.data() + n + kMargin - (kTaps / 2 - 1);
    for (const Phase& phase : phases) {
      float sum = 0;
      for (size_t i = 0; i < kTaps; ++i) sum += phase[i] * from[i];
      largest = std::max(largest, std::abs(sum));
    }
    out[n] = largest;
  }
}

void TruePeakMeter::Scan(std::span<const float> samples) {
  std::vector<float> in(std::move(history_));
  in.insert(in.end(), samples.begin(), samples.end());
  const size_t count = in.size() - 2 * TruePeak::kMargin;
  std::vector<float> peaks(count);
  TruePeak::Follow(in, peaks);
  for (const float peak : peaks) largest_ = std::max(largest_, peak);
  history_.assign(in.end() - 2 * TruePeak::kMargin, in.end());
}

void TruePeakMeter::Add(std::span<const float> samples) {
  Scan(samples);
}

double TruePeakMeter::Dbtp() const {
  // The last samples still contribute.
  TruePeakMeter rest = *this;
  rest.Scan(std::vector<float>(TruePeak::kMargin, 0.0F));
  return rest.largest_ > 0 ? 20 * std::log10(static_cast<double>(rest.largest_)) : kNoLoudness;
}

TruePeakLimiter::TruePeakLimiter(int rate, double ceiling_dbtp)
    : ceiling_(static_cast<float>(std::pow(10.0, ceiling_dbtp / 20))),
      slope_(std::max<size_t>(1, static_cast<size_t>(kSlopeMs * rate / 1000))),
      window_(2 * slope_ + 1) {
  double sum = 0;
  for (size_t i = 0; i < window_.size(); ++i) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(window_.size() + 1);
    window_[i] = static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * share));
    sum += static_cast<double>(window_[i]);
  }
  for (float& weight : window_) weight = static_cast<float>(weight / sum);
}

// The limiter takes the gain that each sample needs, the least of it within a slope, and the mean of that
// over a slope: every gain in a peak's mean is at most the one that the peak needs.
void TruePeakLimiter::Process(std::span<const float> in, std::span<float> out) const {
  const size_t wide = out.size() + 4 * slope_;
  std::vector<float> peaks(wide + 1);
  TruePeak::Follow(in.first(peaks.size() + 2 * TruePeak::kMargin), peaks);
  // A peak between two samples belongs to both.
  std::vector<float> needed(wide);
  for (size_t i = 0; i < wide; ++i) needed[i] = std::max(peaks[i], peaks[i + 1]);
  for (float& gain : needed) gain = gain > ceiling_ ? ceiling_ / gain : 1.0F;
  const auto least = MinAround(needed, slope_);
  const auto quiet = MinAround(least, slope_);
  for (size_t n = 0; n < out.size(); ++n) {
    const float sample = in[n + margin()];
    if (quiet[n] == 1.0F) {
      out[n] = sample;
      continue;
    }
    double gain = 0;
    for (size_t i = 0; i < window_.size(); ++i) gain += static_cast<double>(window_[i]) * least[n + i];
    out[n] = static_cast<float>(sample * gain);
  }
}

}  // namespace trunkline::dsp
