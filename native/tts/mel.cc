#include "tts/mel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

namespace trunkline::tts {
namespace {

constexpr size_t kFft = kMelFrame, kWindow = 400, kHop = kMelHop, kBins = kFft / 2 + 1, kBands = kMelBands;

// Slaney's scale: linear to 1 kHz, logarithmic above.
double ToMel(double hertz) {
  return hertz < 1000 ? hertz * 3 / 200 : 15 + 27 * std::log(hertz / 1000) / std::log(6.4);
}
double ToHertz(double mel) {
  return mel < 15 ? mel * 200 / 3 : 1000 * std::exp((mel - 15) * std::log(6.4) / 27);
}

// A band's filter rises from its edge to the next and falls to the one after.
double Edge(size_t at) {
  return ToHertz(ToMel(kMelRate / 2.0) * static_cast<double>(at) / (kBands + 1));
}

std::vector<float> MakeBands() {
  std::vector<float> bands(kBands * kBins, 0.0F);
  std::array<double, kBands + 2> edges{};
  for (size_t i = 0; i < edges.size(); ++i) edges[i] = Edge(i);
  for (size_t band = 0; band < kBands; ++band) {
    const double area = 2 / (edges[band + 2] - edges[band]);
    for (size_t bin = 0; bin < kBins; ++bin) {
      const double hertz = static_cast<double>(bin) * kMelRate / kFft;
      const double rise = (hertz - edges[band]) / (edges[band + 1] - edges[band]);
      const double fall = (edges[band + 2] - hertz) / (edges[band + 2] - edges[band + 1]);
      bands[band * kBins + bin] = static_cast<float>(area * std::max(0.0, std::min(rise, fall)));
    }
  }
  return bands;
}

// In place, 512 points.
void Transform(std::array<std::complex<float>, kFft>& x) {
  for (size_t i = 1, j = 0; i < kFft; ++i) {
    size_t bit = kFft >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (size_t length = 2; length <= kFft; length <<= 1) {
    const auto angle = -2 * std::numbers::pi_v<float> / static_cast<float>(length);
    for (size_t k = 0; k < length / 2; ++k) {
      const std::complex<float> turn = std::polar(1.0F, angle * static_cast<float>(k));
      for (size_t i = k; i < kFft; i += length) {
        const std::complex<float> odd = x[i + length / 2] * turn;
        x[i + length / 2] = x[i] - odd;
        x[i] += odd;
      }
    }
  }
}

}  // namespace

Mel::Mel() : window_(kFft, 0.0F), bands_(MakeBands()) {
  for (size_t i = 0; i < kWindow; ++i) {
    window_[(kFft - kWindow) / 2 + i] =
        static_cast<float>(0.54 - 0.46 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / kWindow));
  }
}

std::vector<float> Mel::Power(std::span<const float> samples) const {
  const size_t frames = samples.size() < kFft ? 0 : 1 + (samples.size() - kFft) / kHop;
  std::vector<float> mel(frames * kBands, 0.0F);
  std::array<std::complex<float>, kFft> x;
  std::array<float, kBins> power{};
  for (size_t frame = 0; frame < frames; ++frame) {
    for (size_t i = 0; i < kFft; ++i) x[i] = samples[frame * kHop + i] * window_[i];
    Transform(x);
    for (size_t bin = 0; bin < kBins; ++bin) power[bin] = std::norm(x[bin]);
    for (size_t band = 0; band < kBands; ++band) {
      float sum = 0;
      for (size_t bin = 0; bin < kBins; ++bin) sum += power[bin] * bands_[band * kBins + bin];
      mel[frame * kBands + band] = sum;
    }
  }
  return mel;
}

float Mel::BandWidth(size_t band) {
  return static_cast<float>((Edge(band + 2) - Edge(band)) / 2);
}

float Mel::Centre(size_t band) {
  return static_cast<float>(Edge(band + 1));
}

}  // namespace trunkline::tts
