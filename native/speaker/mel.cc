#include "speaker/mel.h"

#include <cmath>
#include <numbers>

namespace trunkline::speaker {
namespace {

constexpr size_t kWindow = 400;
constexpr double kFloor = 1e-10;

const std::vector<dsp::MelBand>& Bands() {
  static const std::vector<dsp::MelBand> bands = dsp::MelBands(kMelBands, kRate, kMelFrame);
  return bands;
}

// Reusable buffers of a transform.
struct Scratch {
  std::vector<double> re = std::vector<double>(kMelFrame);
  std::vector<double> im = std::vector<double>(kMelFrame);
};

// Transforms in place; the input is in bit-reversed order.
void Transform(Scratch& x, std::span<const double> cos, std::span<const double> sin) {
  for (size_t half = 1; half < kMelFrame; half *= 2) {
    const size_t stride = kMelFrame / (2 * half);
    for (size_t start = 0; start < kMelFrame; start += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        const double c = cos[k * stride], s = sin[k * stride];
        const size_t low = start + k, high = low + half;
        const double r = x.re[high] * c - x.im[high] * s;
        const double i = x.re[high] * s + x.im[high] * c;
        x.re[high] = x.re[low] - r;
        x.im[high] = x.im[low] - i;
        x.re[low] += r;
        x.im[low] += i;
      }
    }
  }
}

void Place(std::span<const float> frame, std::span<const double> window, Scratch& x) {
  for (size_t i = 0, reversed = 0; i < kMelFrame; ++i) {
    x.re[reversed] = frame[i] * window[i];
    x.im[reversed] = 0;
    size_t bit = kMelFrame / 2;
    while (bit > 0 && (reversed & bit) != 0) {
      reversed ^= bit;
      bit /= 2;
    }
    reversed |= bit;
  }
}

double In(const dsp::MelBand& band, const Scratch& x) {
  double sum = 0;
  for (size_t k = 0; k < band.weights.size(); ++k) {
    const double re = x.re[band.first + k], im = x.im[band.first + k];
    sum += band.weights[k] * (re * re + im * im);
  }
  return sum;
}

}  // namespace

Mel::Mel() : window_(kMelFrame, 0.0) {
  // The window is centred in the transform.
  constexpr size_t kBefore = (kMelFrame - kWindow) / 2;
  for (size_t i = 0; i < kWindow; ++i) {
    window_[kBefore + i] = 0.54 - 0.46 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / kWindow);
  }
  for (size_t i = 0; i < kMelFrame / 2; ++i) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(i) / kMelFrame;
    cos_.push_back(std::cos(angle));
    sin_.push_back(std::sin(angle));
  }
}

template <typename Take>
void Mel::EachBand(std::span<const float> samples, Take take) const {
  Scratch x;
  for (size_t f = 0; f < FramesIn(samples.size()); ++f) {
    Place(samples.subspan(f * kMelHop, kMelFrame), window_, x);
    Transform(x, cos_, sin_);
    for (const dsp::MelBand& band : Bands()) take(In(band, x));
  }
}

std::vector<float> Mel::Power(std::span<const float> samples) const {
  std::vector<float> power;
  power.reserve(FramesIn(samples.size()) * kMelBands);
  EachBand(samples, [&](double in_band) { power.push_back(static_cast<float>(in_band)); });
  return power;
}

std::vector<float> Mel::Features(std::span<const float> samples) const {
  std::vector<float> features;
  features.reserve(FramesIn(samples.size()) * kMelBands);
  EachBand(samples,
           [&](double in_band) { features.push_back(static_cast<float>(std::log10(in_band + kFloor))); });
  return features;
}

float Mel::BandWidth(size_t band) {
  return static_cast<float>((Bands()[band].high - Bands()[band].low) / 2);
}

float Mel::Centre(size_t band) {
  return static_cast<float>(Bands()[band].middle);
}

}  // namespace trunkline::speaker
