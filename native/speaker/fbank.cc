#include "speaker/fbank.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dsp/dsp.h"
#include "speaker/mel.h"

namespace trunkline::speaker {
namespace {

constexpr size_t kTransform = 512;
constexpr double kLowHz = 20;
constexpr double kPreEmphasis = 0.97;

double KaldiMel(double hertz) {
  return 1127 * std::log(1 + hertz / 700);
}

}  // namespace

Fbank::Fbank(FbankWindow window) {
  for (size_t i = 0; i < kFrame; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / (kFrame - 1);
    window_.push_back(window == FbankWindow::kHamming ? 0.54 - 0.46 * std::cos(angle)
                                                      : std::pow(0.5 - 0.5 * std::cos(angle), 0.85));
  }
  const double low = KaldiMel(kLowHz);
  const double step = (KaldiMel(kRate / 2.0) - low) / (kBands + 1);
  for (size_t band = 0; band < kBands; ++band) {
    const double left = low + static_cast<double>(band) * step;
    Band& filter = bands_.emplace_back();
    // The bin at half the rate belongs to no band.
    for (size_t bin = 0; bin < kTransform / 2; ++bin) {
      const double mel = KaldiMel(static_cast<double>(bin) * kRate / kTransform);
      const double weight = std::min((mel - left) / step, (left + 2 * step - mel) / step);
      if (weight <= 0) continue;
      if (filter.weights.empty()) filter.first = bin;
      filter.weights.push_back(weight);
    }
  }
}

std::vector<float> Fbank::Features(std::span<const float> samples) const {
  dsp::RealFft transform(kTransform);
  std::vector<float> frame(kTransform, 0.0F);
  std::vector<float> re(transform.bins());
  std::vector<float> im(transform.bins());
  std::vector<float> features;
  features.reserve(FramesIn(samples.size()) * kBands);
  for (size_t f = 0; f < FramesIn(samples.size()); ++f) {
    const auto from = samples.subspan(f * kHop, kFrame);
    double mean = 0;
    for (const float s : from) mean += static_cast<double>(s) / kFrame;
    // The first sample has none before it, and stands for it.
    double before = from[0] - mean;
    for (size_t i = 0; i < kFrame; ++i) {
      const double sample = from[i] - mean;
      frame[i] = static_cast<float>((sample - kPreEmphasis * before) * window_[i]);
      before = sample;
    }
    transform.Forward(frame, re, im);
    for (const Band& band : bands_) {
      double power = 0;
      for (size_t k = 0; k < band.weights.size(); ++k) {
        const double r = re[band.first + k], i = im[band.first + k];
        power += band.weights[k] * (r * r + i * i);
      }
      const double floored = std::max(power, static_cast<double>(std::numeric_limits<float>::epsilon()));
      features.push_back(static_cast<float>(std::log(floored)));
    }
  }
  return features;
}

}  // namespace trunkline::speaker
