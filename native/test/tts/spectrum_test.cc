// What can be told of a voice by arithmetic alone.

#include "tts/spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "tts/tilt.h"
#include "tts/voice_sample.h"

namespace trunkline::tts {
namespace {

std::vector<float> Tone(size_t count, double hertz) {
  std::vector<float> tone(count);
  for (size_t i = 0; i < count; ++i) {
    for (int harmonic = 1; harmonic < 6; ++harmonic) {
      const double t = static_cast<double>(i) / kSpeakerRate;
      tone[i] += static_cast<float>(0.2 / harmonic * std::sin(2 * std::numbers::pi * hertz * harmonic * t));
    }
  }
  return tone;
}

TEST(MedianPitch, IsThatOfATone) {
  for (const double hertz : {90.0, 140.0, 220.0, 300.0}) {
    const std::vector<float> tone = Tone(kSpeakerRate, hertz);
    EXPECT_NEAR(MedianPitch(tone, kSpeakerRate), hertz, hertz * 0.04) << hertz;
  }
}

TEST(Spectrum, ATiltIsFoundAndTakenBack) {
  const Mel mel;
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 0.1F);
  std::vector<float> flat(3UL * kSpeakerRate);
  for (float& sample : flat) sample = noise(random);
  for (const float db : {-5.0F, -2.0F, 3.0F, 6.0F}) {
    TiltFilter filter(kSpeakerRate, db);
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
