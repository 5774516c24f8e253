#include "asr/voice_features.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trunkline::asr {
namespace {

constexpr double kRate = 16000;
constexpr double kFirstLogHertz = 1000.0;
constexpr double kHertzPerMel = 200.0 / 3.0;
constexpr double kFirstLogMel = kFirstLogHertz / kHertzPerMel;
const double kLogStep = std::log(6.4) / 27.0;
constexpr double kFloor = 1e-10;

double MelOf(double hertz) {
  return hertz < kFirstLogHertz ? hertz / kHertzPerMel
                                : kFirstLogMel + std::log(hertz / kFirstLogHertz) / kLogStep;
}

double HertzOf(double mel) {
  return mel < kFirstLogMel ? mel * kHertzPerMel : kFirstLogHertz * std::exp((mel - kFirstLogMel) * kLogStep);
}

}  // namespace

VoiceFeatures::VoiceFeatures() : window_(kTransform, 0.0) {
  // The window lies in the middle of the transform.
  constexpr size_t kBefore = (kTransform - kWindow) / 2;
  for (size_t i = 0; i < kWindow; ++i) {
    window_[kBefore + i] = 0.54 - 0.46 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / kWindow);
  }
  for (size_t i = 0; i < kTransform / 2; ++i) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(i) / kTransform;
    cos_.push_back(std::cos(angle));
    sin_.push_back(std::sin(angle));
  }
  std::vector<double> edges(kBands + 2);
  for (size_t i = 0; i < edges.size(); ++i) {
    edges[i] = HertzOf(MelOf(kRate / 2) * static_cast<double>(i) / (kBands + 1));
  }
  for (size_t b = 0; b < kBands; ++b) {
    const double area = 2.0 / (edges[b + 2] - edges[b]);
    Band band{kBins, {}};
    for (size_t k = 0; k < kBins; ++k) {
      const double hertz = static_cast<double>(k) * kRate / kTransform;
      const double rise = (hertz - edges[b]) / (edges[b + 1] - edges[b]);
      const double fall = (edges[b + 2] - hertz) / (edges[b + 2] - edges[b + 1]);
      const double weight = std::min(rise, fall) * area;
      if (weight <= 0) continue;
      if (band.weights.empty()) band.first = k;
      band.weights.push_back(weight);
    }
    bands_.push_back(std::move(band));
  }
}

void VoiceFeatures::Power(std::span<const float> frame, std::vector<double>& re,
                          std::vector<double>& im) const {
  for (size_t i = 0, reversed = 0; i < kTransform; ++i) {
    re[reversed] = frame[i] * window_[i];
    im[reversed] = 0;
    size_t bit = kTransform / 2;
    while (bit > 0 && (reversed & bit) != 0) {
      reversed ^= bit;
      bit /= 2;
    }
    reversed |= bit;
  }
  for (size_t half = 1; half < kTransform; half *= 2) {
    const size_t stride = kTransform / (2 * half);
    for (size_t start = 0; start < kTransform; start += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        const double c = cos_[k * stride];
        const double s = sin_[k * stride];
        const size_t low = start + k;
        const size_t high = low + half;
        const double r = re[high] * c - im[high] * s;
        const double i = re[high] * s + im[high] * c;
        re[high] = re[low] - r;
        im[high] = im[low] - i;
        re[low] += r;
        im[low] += i;
      }
    }
  }
  for (size_t k = 0; k < kBins; ++k) re[k] = re[k] * re[k] + im[k] * im[k];
}

std::vector<float> VoiceFeatures::Compute(std::span<const float> samples) const {
  const size_t frames = FramesIn(samples.size());
  std::vector<float> out(frames * kBands);
  std::vector<double> re(kTransform);
  std::vector<double> im(kTransform);
  for (size_t f = 0; f < frames; ++f) {
    Power(samples.subspan(f * kHop, kTransform), re, im);
    for (size_t b = 0; b < kBands; ++b) {
      double sum = 0;
      for (size_t k = 0; k < bands_[b].weights.size(); ++k)
        sum += bands_[b].weights[k] * re[bands_[b].first + k];
      out[f * kBands + b] = static_cast<float>(std::log10(sum + kFloor));
    }
  }
  return out;
}

}  // namespace trunkline::asr
