#include "dsp/loudness.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trunkline::dsp {
namespace {

// BS.1770-4: so that 997 Hz at full scale in one channel reads -3.01.
constexpr double kOffset = -0.691;
constexpr double kAbsoluteGate = -70;
constexpr double kRelativeGate = -10, kRangeGate = -20;
constexpr double kLowShare = 0.10, kHighShare = 0.95;

double ToLufs(double power) {
  return power > 0 ? kOffset + 10 * std::log10(power) : kNoLoudness;
}

double FromLufs(double lufs) {
  return std::pow(10.0, (lufs - kOffset) / 10);
}

double MeanAbove(const std::vector<double>& powers, double gate) {
  double sum = 0;
  size_t count = 0;
  for (const double power : powers) {
    if (power <= gate) continue;
    sum += power;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

double AtShare(const std::vector<double>& sorted, double share) {
  const auto at = static_cast<size_t>(std::round(share * static_cast<double>(sorted.size() - 1)));
  return sorted[at];
}

}  // namespace

// The standard gives numbers for 48 kHz; these are the analogue filters behind them, at any rate.
KWeighting::KWeighting(int rate) {
  {
    const double gain = std::pow(10.0, 3.999843853973347 / 20);
    const double middle = std::pow(gain, 0.4996667741545416);
    const double q = 0.7071752369554196;
    const double k = std::tan(std::numbers::pi * 1681.974450955533 / rate);
    const double a0 = 1 + k / q + k * k;
    shelf_.b = {(gain + middle * k / q + k * k) / a0, 2 * (k * k - gain) / a0,
                (gain - middle * k / q + k * k) / a0};
    shelf_.a = {2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0};
  }
  const double q = 0.5003270373238773;
  const double k = std::tan(std::numbers::pi * 38.13547087602444 / rate);
  const double a0 = 1 + k / q + k * k;
  high_pass_.b = {1, -2, 1};
  high_pass_.a = {2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0};
}

double KWeighting::Section::Next(double x) {
  const double y = b[0] * x + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2;
  x2 = x1;
  x1 = x;
  y2 = y1;
  y1 = y;
  return y;
}

double KWeighting::Next(double sample) {
  return high_pass_.Next(shelf_.Next(sample));
}

LoudnessMeter::LoudnessMeter(int rate, size_t channels)
    : channels_(std::max<size_t>(1, channels)),
      tenth_(std::max<size_t>(1, static_cast<size_t>(rate) / 10)),
      filters_(channels_, KWeighting(rate)) {}

void LoudnessMeter::Add(std::span<const float> samples) {
  for (const float sample : samples) {
    const double weighted =
        filters_[channel_].Next(std::isfinite(sample) ? static_cast<double>(sample) : 0.0);
    sum_ += weighted * weighted;
    if (++channel_ < channels_) continue;
    channel_ = 0;
    if (++frames_ < tenth_) continue;
    tenths_.push_back(sum_ / static_cast<double>(tenth_));
    sum_ = 0;
    frames_ = 0;
  }
}

std::vector<double> LoudnessMeter::Windows(size_t tenths, size_t apart) const {
  std::vector<double> windows;
  for (size_t end = tenths; end <= tenths_.size(); end += apart) {
    double sum = 0;
    for (size_t i = end - tenths; i < end; ++i) sum += tenths_[i];
    windows.push_back(sum / static_cast<double>(tenths));
  }
  return windows;
}

double LoudnessMeter::Integrated() const {
  const auto blocks = Windows(kBlockTenths, 1);
  const double loud = MeanAbove(blocks, FromLufs(kAbsoluteGate));
  if (loud <= 0) return kNoLoudness;
  const double gate = std::max(FromLufs(kAbsoluteGate), FromLufs(ToLufs(loud) + kRelativeGate));
  return std::max(kNoLoudness, ToLufs(MeanAbove(blocks, gate)));
}

double LoudnessMeter::Largest(size_t tenths) const {
  double largest = 0;
  for (const double power : Windows(tenths, 1)) largest = std::max(largest, power);
  return std::max(kNoLoudness, ToLufs(largest));
}

double LoudnessMeter::Range() const {
  auto blocks = Windows(kShortTenths, 1);
  const double loud = MeanAbove(blocks, FromLufs(kAbsoluteGate));
  if (loud <= 0) return 0;
  const double gate = std::max(FromLufs(kAbsoluteGate), FromLufs(ToLufs(loud) + kRangeGate));
  std::erase_if(blocks, [gate](double power) { return power <= gate; });
  if (blocks.empty()) return 0;
  std::ranges::sort(blocks);
  return ToLufs(AtShare(blocks, kHighShare)) - ToLufs(AtShare(blocks, kLowShare));
}

}  // namespace trunkline::dsp
