#include "dsp/level.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "dsp/convert.h"

namespace trunkline::dsp {
namespace {

// The floor's average falls into the gaps between words and rises slowly.
constexpr double kFloorRiseMs = 60, kFloorFallMs = 20;

double StepOf(double time_constant_ms) {
  return 1 - std::exp(-LevelMeter::kWindowMs / time_constant_ms);
}

// The least of some dozen averages of noise lies below their mean; this corrects it (1.5 dB).
constexpr double kMinimumBias = 1.41;

constexpr double kNone = std::numeric_limits<double>::infinity();

}  // namespace

float ToDbfs(double power) {
  const double db = 10 * std::log10(power + 1e-20);
  return static_cast<float>(std::max(db, static_cast<double>(kSilenceDbfs)));
}

float LevelOf(std::span<const int16_t> samples) {
  if (samples.empty()) return kSilenceDbfs;
  double power = 0;
  for (const int16_t sample : samples) power += static_cast<double>(sample) * sample;
  return ToDbfs(power / (32768.0 * 32768.0 * static_cast<double>(samples.size())));
}

LevelMeter::LevelMeter(int rate) : window_(static_cast<size_t>(std::clamp(rate, 8000, kMaxRate) / 100)) {
  Reset();
}

void LevelMeter::Reset() {
  filled_ = 0;
  held_ = 0;
  smooth_ = floor_smooth_ = 0;
  span_minima_.fill(kNone);
  span_windows_ = 0;
  started_ = false;
}

size_t LevelMeter::Process(std::span<const float> samples, std::span<LevelReading> out) {
  size_t readings = 0;
  while (!samples.empty()) {
    const size_t part = std::min(samples.size(), window_ - filled_);
    Contain(samples.first(part), std::span(samples_).subspan(filled_, part), held_);
    filled_ += part;
    samples = samples.subspan(part);
    if (filled_ < window_) break;
    const LevelReading reading = Measure();
    if (readings < out.size()) out[readings++] = reading;
    filled_ = 0;
  }
  return readings;
}

LevelReading LevelMeter::Measure() {
  // Sixteen parallel sums, so that the compiler may keep them in vectors.
  std::array<float, 16> sums = {}, peaks = {};
  size_t i = 0;
  for (; i + 16 <= window_; i += 16) {
    for (size_t k = 0; k < 16; ++k) {
      const float sample = samples_[i + k];
      sums[k] += sample * sample;
      peaks[k] = std::max(peaks[k], std::abs(sample));
    }
  }
  for (; i < window_; ++i) {
    sums[0] += samples_[i] * samples_[i];
    peaks[0] = std::max(peaks[0], std::abs(samples_[i]));
  }
  double power = 0;
  for (float sum : sums) power += sum;
  power /= static_cast<double>(window_);
  const double peak = *std::max_element(peaks.begin(), peaks.end());
  static const double attack = StepOf(kAttackMs), release = StepOf(kReleaseMs);
  smooth_ = started_ ? smooth_ + (power - smooth_) * (power > smooth_ ? attack : release) : power;
  const float floor = TrackFloor(power);
  started_ = true;
  return {ToDbfs(power), ToDbfs(peak * peak), ToDbfs(smooth_), floor};
}

float LevelMeter::TrackFloor(double power) {
  static const double rise = StepOf(kFloorRiseMs), fall = StepOf(kFloorFallMs);
  floor_smooth_ =
      started_ ? floor_smooth_ + (power - floor_smooth_) * (power > floor_smooth_ ? rise : fall) : power;
  if (span_windows_ == kFloorSpanMs / kWindowMs) {
    std::rotate(span_minima_.begin(), span_minima_.end() - 1, span_minima_.end());
    span_minima_[0] = kNone;
    span_windows_ = 0;
  }
  ++span_windows_;
  span_minima_[0] = std::min(span_minima_[0], floor_smooth_);
  return ToDbfs(kMinimumBias * *std::min_element(span_minima_.begin(), span_minima_.end()));
}

}  // namespace trunkline::dsp
