#include "speaker/narrow_band.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "speaker/mel.h"

namespace trunkline::speaker {
namespace {

constexpr size_t kBands = kMelBands;
constexpr size_t kFrames = 100;

// Spectra that fall by `slope` a band, as loud frames and quiet ones, with `high` from 4 kHz on where it is
// less.
std::vector<float> Spectra(float slope, float high) {
  std::vector<float> features(kFrames * kBands);
  for (size_t f = 0; f < kFrames; ++f) {
    const float loud = f % 3 == 0 ? -4.0F : -1.0F;
    for (size_t b = 0; b < kBands; ++b) {
      const float value = loud - slope * static_cast<float>(b);
      features[f * kBands + b] = b < 31 ? value : std::min(value, high);
    }
  }
  return features;
}

TEST(NarrowBand, IsSeenWhereNothingIsAboveTheLine) {
  EXPECT_TRUE(IsNarrowBand(Spectra(0.03F, -7.0F)));
  EXPECT_FALSE(IsNarrowBand(Spectra(0.03F, 0.0F)));
  // Dull, but a whole band.
  EXPECT_FALSE(IsNarrowBand(Spectra(0.08F, 0.0F)));
  EXPECT_FALSE(IsNarrowBand({}));
}

TEST(NarrowBand, IsFilledWithWhatSpeechHasThere) {
  std::vector<float> features = Spectra(0.03F, -7.0F);
  const std::vector<float> before = features;
  FillNarrowBand(features);
  for (size_t f = 0; f < kFrames; ++f) {
    const float* const frame = &features[f * kBands];
    for (size_t b = 0; b < 29; ++b) EXPECT_EQ(frame[b], before[f * kBands + b]);
    // It goes on where the line ends, and falls from there, but not to the line's silence.
    EXPECT_NEAR(frame[29], frame[28], 0.5F) << f;
    for (size_t b = 30; b < kBands; ++b) EXPECT_LT(frame[b], frame[b - 1]) << f << " " << b;
    EXPECT_GT(frame[kBands - 1], -6.5F) << f;
  }
  // A loud frame stays a loud one.
  for (size_t b = 29; b < kBands; ++b) EXPECT_GT(features[kBands + b], features[b] + 1.0F) << b;
}

TEST(NarrowBand, LeavesAWholeBandAlone) {
  std::vector<float> features = Spectra(0.05F, 0.0F);
  const std::vector<float> before = features;
  FillNarrowBand(features);
  EXPECT_EQ(features, before);
}

}  // namespace
}  // namespace trunkline::speaker
