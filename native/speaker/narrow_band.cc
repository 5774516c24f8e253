#include "speaker/narrow_band.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "speaker/mel.h"

namespace trunkline::speaker {
namespace {

constexpr size_t kBands = kMelBands;
// These bands lie below 3.7 kHz.
constexpr size_t kLow = 29;
// From this band on, nothing of the line's edge is left.
constexpr size_t kHigh = 33;
// The greatest level of the high bands relative to the low ones, in powers of ten: -2.9 and more in 65 of 68
// recordings of different people at 16 kHz, -3.5 and less in all of 75 over a narrow line.
constexpr float kLoudest = -3.5F;
constexpr size_t kLoudestPercent = 95;

// Each high band from the low ones and a constant, by least squares over the speech of 27 people at 16 kHz
// and more (bench/jobs/fit-narrow-band.py).
constexpr std::array<std::array<float, kLow + 1>, kBands - kLow> kFromLow = {{
    {0.058F,  -0.080F, 0.008F,  0.014F,  -0.020F, 0.034F,  -0.040F, -0.008F, 0.015F, -0.026F,
     -0.016F, 0.012F,  0.018F,  0.015F,  0.050F,  -0.013F, -0.037F, 0.011F,  0.003F, 0.013F,
     0.058F,  0.006F,  -0.009F, -0.007F, 0.028F,  0.031F,  0.263F,  -0.599F, 1.180F, -0.212F},
    {0.081F,  -0.184F, 0.114F,  -0.044F, -0.021F, 0.052F,  -0.015F, -0.042F, 0.020F,  -0.079F,
     -0.037F, 0.030F,  0.052F,  0.067F,  0.112F,  -0.004F, -0.119F, 0.015F,  -0.019F, 0.041F,
     0.070F,  0.059F,  -0.089F, 0.033F,  0.005F,  0.015F,  0.315F,  -0.417F, 0.899F,  -0.498F},
    {0.050F,  -0.196F, 0.179F,  -0.111F, -0.012F, 0.063F,  -0.022F, -0.065F, 0.007F,  -0.091F,
     -0.048F, 0.062F,  0.086F,  0.095F,  0.107F,  -0.024F, -0.112F, -0.019F, -0.021F, 0.064F,
     0.034F,  0.122F,  -0.119F, 0.045F,  0.018F,  -0.116F, 0.359F,  -0.134F, 0.692F,  -0.599F},
    {0.009F,  -0.176F, 0.188F,  -0.108F, -0.036F, 0.069F,  -0.059F, -0.058F, -0.001F, -0.095F,
     -0.006F, 0.028F,  0.113F,  0.096F,  0.097F,  -0.061F, -0.077F, -0.029F, -0.003F, 0.066F,
     0.002F,  0.109F,  -0.088F, 0.075F,  -0.004F, -0.137F, 0.345F,  0.028F,  0.585F,  -0.724F},
    {-0.054F, -0.142F, 0.145F,  -0.065F, -0.038F, 0.038F,  -0.035F, -0.058F, -0.018F, -0.110F,
     0.037F,  -0.012F, 0.124F,  0.085F,  0.101F,  -0.060F, -0.052F, -0.038F, 0.006F,  0.076F,
     -0.002F, 0.072F,  -0.059F, 0.114F,  -0.009F, -0.142F, 0.296F,  0.089F,  0.497F,  -1.184F},
    {-0.064F, -0.085F, 0.074F, -0.057F, -0.015F, 0.004F,  -0.008F, -0.098F, -0.056F, -0.091F,
     0.045F,  0.004F,  0.112F, 0.087F,  0.078F,  -0.050F, -0.031F, -0.041F, -0.035F, 0.105F,
     0.020F,  0.050F,  0.013F, 0.047F,  0.041F,  -0.139F, 0.208F,  0.092F,  0.489F,  -1.615F},
    {-0.028F, 0.020F, -0.036F, -0.057F, -0.027F, -0.007F, 0.013F,  -0.109F, -0.051F, -0.090F,
     0.012F,  0.006F, 0.110F,  0.085F,  0.053F,  -0.068F, -0.009F, -0.030F, -0.030F, 0.078F,
     0.010F,  0.024F, 0.074F,  0.052F,  0.031F,  -0.109F, 0.125F,  0.045F,  0.554F,  -1.996F},
    {-0.039F, 0.084F,  -0.122F, 0.002F, -0.091F, 0.006F,  0.021F,  -0.053F, -0.030F, -0.118F,
     -0.003F, -0.004F, 0.127F,  0.069F, 0.041F,  -0.068F, -0.004F, -0.026F, -0.042F, 0.040F,
     0.010F,  0.062F,  0.096F,  0.042F, -0.005F, -0.104F, 0.108F,  0.053F,  0.526F,  -2.441F},
    {-0.033F, 0.020F,  -0.034F, -0.035F, -0.102F, 0.042F,  0.020F,  -0.008F, -0.026F, -0.101F,
     -0.026F, -0.026F, 0.151F,  0.059F,  0.081F,  -0.101F, -0.024F, -0.075F, 0.008F,  0.029F,
     -0.018F, 0.090F,  0.058F,  0.126F,  -0.082F, -0.048F, 0.085F,  0.091F,  0.467F,  -2.579F},
    {-0.106F, -0.020F, 0.040F, -0.057F, -0.066F, 0.030F,  0.038F,  -0.006F, -0.063F, -0.087F,
     -0.034F, -0.048F, 0.186F, 0.073F,  0.161F,  -0.113F, -0.041F, -0.130F, 0.029F,  0.030F,
     0.001F,  0.074F,  0.041F, 0.124F,  -0.097F, -0.004F, 0.050F,  0.172F,  0.392F,  -2.704F},
    {-0.196F, -0.019F, 0.072F, 0.007F, -0.028F, 0.003F,  0.024F,  -0.003F, -0.074F, -0.065F,
     -0.051F, -0.032F, 0.165F, 0.098F, 0.187F,  -0.077F, -0.078F, -0.148F, 0.037F,  0.014F,
     0.017F,  0.084F,  0.018F, 0.119F, -0.102F, -0.055F, 0.108F,  0.198F,  0.314F,  -3.191F},
}};

float Mean(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0F) / static_cast<float>(values.size());
}

float Loudest(std::vector<float> values) {
  const size_t at = (values.size() - 1) * kLoudestPercent / 100;
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(at), values.end());
  return values[at];
}

}  // namespace

bool IsNarrowBand(std::span<const float> features) {
  const size_t frames = features.size() / kBands;
  if (frames == 0) return false;
  std::vector<float> low(frames);
  std::vector<float> high(frames);
  for (size_t f = 0; f < frames; ++f) {
    const auto frame = features.subspan(f * kBands, kBands);
    low[f] = Mean(frame.first(kLow));
    high[f] = Mean(frame.subspan(kHigh));
  }
  return Loudest(std::move(high)) - Loudest(std::move(low)) < kLoudest;
}

void FillNarrowBand(std::span<float> features) {
  if (!IsNarrowBand(features)) return;
  for (size_t f = 0; f < features.size() / kBands; ++f) {
    const auto frame = features.subspan(f * kBands, kBands);
    for (size_t b = kLow; b < kBands; ++b) {
      const std::array<float, kLow + 1>& weights = kFromLow[b - kLow];
      frame[b] = std::inner_product(weights.begin(), weights.begin() + kLow, frame.begin(), weights[kLow]);
    }
  }
}

}  // namespace trunkline::speaker
