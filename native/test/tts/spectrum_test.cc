// Tests the measures of a voice that need no model.

#include "tts/spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "test/support/tone.h"
#include "tts/tilt.h"
#include "tts/voice_sample.h"

namespace trunkline::tts {
namespace {

TEST(MedianPitch, IsThatOfATone) {
  for (const double hertz : {90.0, 140.0, 220.0, 300.0}) {
    const std::vector<float> tone = test::Tone(speaker::kRate, hertz);
    EXPECT_NEAR(MedianPitch(tone, speaker::kRate), hertz, hertz * 0.04) << hertz;
  }
}

TEST(Spectrum, ATiltIsFoundAndTakenBack) {
  const speaker::Mel mel;
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 0.1F);
  std::vector<float> flat(3UL * speaker::kRate);
  for (float& sample : flat) sample = noise(random);
  for (const float db : {-5.0F, -2.0F, 3.0F, 6.0F}) {
    TiltFilter filter(speaker::kRate, db);
    std::vector<float> tilted = flat;
    for (float& sample : tilted) sample = filter.Next(sample);
    const auto from = MeanSpectrum(mel.Power(flat)), to = MeanSpectrum(mel.Power(tilted));
    EXPECT_NEAR(BestTilt(from, to), db, 0.5F);
    EXPECT_GT(SpectrumDistance(from, to), 0.5F);
    EXPECT_LT(SpectrumDistance(Tilted(from, BestTilt(from, to)), to), 0.3F);
  }
  EXPECT_EQ(BestTilt(MeanSpectrum(mel.Power(flat)), MeanSpectrum(mel.Power(flat))), 0);
}

}  // namespace
}  // namespace trunkline::tts
