// Test signals and how they are measured.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <span>
#include <vector>

namespace trunkline::dsp {

inline std::vector<float> Tone(double hertz, int rate, size_t count, double amplitude, double phase = 0) {
  std::vector<float> samples(count);
  for (size_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * hertz * static_cast<double>(i) / rate + phase;
    samples[i] = static_cast<float>(amplitude * std::sin(angle));
  }
  return samples;
}

inline std::vector<float> Noise(size_t count, double amplitude, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> samples(count);
  for (float& sample : samples) sample = static_cast<float>(amplitude) * uniform(random);
  return samples;
}

inline std::vector<int16_t> ToInt16(std::span<const float> samples) {
  std::vector<int16_t> out(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    out[i] = static_cast<int16_t>(std::lrint(std::fmin(32767, std::fmax(-32768, samples[i] * 32768.0))));
  }
  return out;
}

inline void Append(std::vector<float>& to, const std::vector<float>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

inline double Decibels(double ratio) {
  return 20 * std::log10(std::fmax(ratio, 1e-15));
}

inline double Rms(std::span<const float> samples) {
  double sum = 0;
  for (float sample : samples) sum += static_cast<double>(sample) * sample;
  return samples.empty() ? 0 : std::sqrt(sum / static_cast<double>(samples.size()));
}

struct ToneFit {
  double amplitude;
  double residual_rms;  // excludes the tone
};

// Least-squares fit of one sinusoid.
inline ToneFit FitTone(std::span<const float> samples, double hertz, int rate) {
  double cc = 0, ss = 0, cs = 0, cy = 0, sy = 0;
  const auto at = [&](size_t i) { return 2 * std::numbers::pi * hertz * static_cast<double>(i) / rate; };
  for (size_t i = 0; i < samples.size(); ++i) {
    const double c = std::cos(at(i)), s = std::sin(at(i)), y = samples[i];
    cc += c * c, ss += s * s, cs += c * s, cy += c * y, sy += s * y;
  }
  const double determinant = cc * ss - cs * cs;
  const double a = (cy * ss - sy * cs) / determinant, b = (sy * cc - cy * cs) / determinant;
  double rest = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double left = samples[i] - a * std::cos(at(i)) - b * std::sin(at(i));
    rest += left * left;
  }
  return {std::hypot(a, b), std::sqrt(rest / static_cast<double>(samples.size()))};
}

}  // namespace trunkline::dsp
