// Loudness by the reference signals of EBU Tech 3341 and 3342, made here.

#include "dsp/loudness.h"

#include <gtest/gtest.h>

#include "dsp/true_peak.h"
#include "test/dsp/signals.h"

namespace trunkline::dsp {
namespace {

constexpr int kRate = 48000;

double Amplitude(double dbfs) {
  return std::pow(10.0, dbfs / 20);
}

// The same in both channels.
std::vector<float> Stereo(const std::vector<float>& mono) {
  std::vector<float> both;
  for (const float sample : mono) both.insert(both.end(), 2, sample);
  return both;
}

struct Passage {
  double dbfs, seconds;
};

// 1 kHz in both channels, at the level of each passage, the wave unbroken.
std::vector<float> Passages(const std::vector<Passage>& passages, int rate = kRate) {
  std::vector<float> mono;
  for (const auto& [dbfs, seconds] : passages) {
    const auto count = static_cast<size_t>(seconds * rate);
    const double phase = 2 * std::numbers::pi * 1000 * static_cast<double>(mono.size()) / rate;
    Append(mono, Tone(1000, rate, count, Amplitude(dbfs), phase));
  }
  return Stereo(mono);
}

LoudnessMeter Measured(const std::vector<float>& samples, int rate = kRate, size_t channels = 2) {
  LoudnessMeter meter(rate, channels);
  meter.Add(samples);
  return meter;
}

TEST(Loudness, ReadsTheReferenceSignalsOfTech3341) {
  const std::pair<std::vector<Passage>, double> cases[] = {
      {{{-23, 20}}, -23},
      {{{-33, 20}}, -33},
      {{{-36, 10}, {-23, 60}, {-36, 10}}, -23},
      {{{-72, 10}, {-36, 10}, {-23, 60}, {-36, 10}, {-72, 10}}, -23},
      {{{-26, 20}, {-20, 20.1}, {-26, 20}}, -23},
  };
  for (const auto& [passages, expected] : cases)
    EXPECT_NEAR(Measured(Passages(passages)).Integrated(), expected, 0.1);
}

TEST(Loudness, ReadsTheSameAtTheRatesOfSpeech) {
  for (const int rate : {16000, 24000, 44100})
    EXPECT_NEAR(Measured(Passages({{-23, 20}}, rate), rate).Integrated(), -23, 0.1) << rate;
}

TEST(Loudness, OneChannelIsHeardFromOneLoudspeaker) {
  EXPECT_NEAR(Measured(Tone(1000, kRate, 20 * kRate, Amplitude(-23)), kRate, 1).Integrated(), -26, 0.1);
}

TEST(Loudness, FollowsMomentaryAndShortTerm) {
  // Cases 9 and 12 of Tech 3341: a steady change that windows of that length do not see.
  std::vector<float> mono;
  for (int i = 0; i < 5; ++i) {
    Append(mono, Tone(1000, kRate, static_cast<size_t>(1.34 * kRate), Amplitude(-20)));
    Append(mono, Tone(1000, kRate, static_cast<size_t>(1.66 * kRate), Amplitude(-30)));
  }
  EXPECT_NEAR(Measured(Stereo(mono)).LargestShortTerm(), -23, 0.1);
  mono.clear();
  for (int i = 0; i < 25; ++i) {
    Append(mono, Tone(1000, kRate, static_cast<size_t>(0.18 * kRate), Amplitude(-20)));
    Append(mono, Tone(1000, kRate, static_cast<size_t>(0.22 * kRate), Amplitude(-30)));
  }
  EXPECT_NEAR(Measured(Stereo(mono)).LargestMomentary(), -23, 0.1);
}

TEST(Loudness, ReadsTheRangesOfTech3342) {
  const std::pair<std::vector<Passage>, double> cases[] = {
      {{{-20, 20}, {-30, 20}}, 10},
      {{{-20, 20}, {-15, 20}}, 5},
      {{{-40, 20}, {-20, 20}}, 20},
      {{{-50, 20}, {-35, 20}, {-20, 20}, {-35, 20}, {-50, 20}}, 15},
  };
  for (const auto& [passages, expected] : cases)
    EXPECT_NEAR(Measured(Passages(passages)).Range(), expected, 1);
}

TEST(Loudness, SilenceHasNone) {
  LoudnessMeter meter(kRate);
  EXPECT_EQ(meter.Integrated(), kNoLoudness);
  meter.Add(std::vector<float>(10 * kRate, 0.0F));
  EXPECT_EQ(meter.Integrated(), kNoLoudness);
  EXPECT_EQ(meter.Range(), 0);
  meter.Add(std::vector<float>(kRate, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(meter.Integrated(), kNoLoudness);
}

TEST(Loudness, EverySplitGivesTheSameReading) {
  const auto sound = Noise(3 * kRate, 0.3, 5);
  LoudnessMeter pieces(kRate);
  for (size_t at = 0; at < sound.size(); at += 777)
    pieces.Add(std::span(sound).subspan(at, std::min<size_t>(777, sound.size() - at)));
  EXPECT_EQ(pieces.Integrated(), Measured(sound, kRate, 1).Integrated());
}

double PeakOf(const std::vector<float>& sound) {
  TruePeakMeter meter;
  meter.Add(sound);
  return meter.Dbtp();
}

// Cases 15 to 19 of Tech 3341: waves whose tops lie between the samples.
TEST(TruePeak, FindsWhatLiesBetweenTheSamples) {
  struct {
    double divisor, degrees, amplitude, expected;
  } const cases[] = {
      {4, 0, 0.5, -6}, {4, 45, 0.5, -6}, {6, 60, 0.5, -6}, {8, 67.5, 0.5, -6}, {4, 45, 1.41, 3}};
  for (const auto& [divisor, degrees, amplitude, expected] : cases) {
    auto sound = Tone(kRate / divisor, kRate, 4800, amplitude, degrees * std::numbers::pi / 180);
    // The standard's signals begin and end softly: a wave that is cut off peaks higher.
    for (size_t i = 0; i < 480; ++i) {
      sound[i] *= static_cast<float>(i) / 480;
      sound[sound.size() - 1 - i] *= static_cast<float>(i) / 480;
    }
    const double peak = PeakOf(sound);
    EXPECT_LT(peak, expected + 0.2) << divisor << " " << degrees;
    EXPECT_GT(peak, expected - 0.4) << divisor << " " << degrees;
  }
}

TEST(TruePeak, EverySplitGivesTheSamePeak) {
  const auto sound = Noise(5000, 0.9, 9);
  TruePeakMeter pieces;
  for (size_t at = 0; at < sound.size(); at += 7)
    pieces.Add(std::span(sound).subspan(at, std::min<size_t>(7, sound.size() - at)));
  EXPECT_EQ(pieces.Dbtp(), PeakOf(sound));
}

std::vector<float> Limited(const TruePeakLimiter& limiter, const std::vector<float>& sound, size_t block) {
  std::vector<float> wide(limiter.margin(), 0.0F);
  Append(wide, sound);
  wide.insert(wide.end(), limiter.margin(), 0.0F);
  std::vector<float> out(sound.size());
  for (size_t at = 0; at < sound.size(); at += block) {
    const size_t count = std::min(block, sound.size() - at);
    limiter.Process(std::span(wide).subspan(at, count + 2 * limiter.margin()),
                    std::span(out).subspan(at, count));
  }
  return out;
}

TEST(TruePeakLimiter, NothingLeavesAboveTheCeiling) {
  const TruePeakLimiter limiter(24000, -1.1);
  for (unsigned seed = 1; seed <= 5; ++seed)
    EXPECT_LE(PeakOf(Limited(limiter, Noise(24000, 1.8, seed), 24000)), -1.0) << seed;
  EXPECT_LE(PeakOf(Limited(limiter, Tone(6000, 24000, 24000, 1.9, 0.7), 24000)), -1.0);
}

TEST(TruePeakLimiter, WhatIsFarFromAPeakPassesToTheBit) {
  const TruePeakLimiter limiter(24000, -1);
  auto sound = Noise(24000, 0.2, 3);
  sound[12000] = 1.5F;
  const auto out = Limited(limiter, sound, 24000);
  size_t changed = 0;
  for (size_t i = 0; i < sound.size(); ++i) {
    if (out[i] == sound[i]) continue;
    ++changed;
    EXPECT_NEAR(static_cast<double>(i), 12000, static_cast<double>(limiter.margin()));
  }
  EXPECT_GT(changed, 100U);
  EXPECT_LT(std::abs(out[12000]), 0.9F);
}

TEST(TruePeakLimiter, EverySplitGivesTheSameBits) {
  const TruePeakLimiter limiter(24000, -1);
  const auto sound = Noise(6000, 1.4, 4);
  const auto whole = Limited(limiter, sound, sound.size());
  for (const size_t block : {1, 100, 1001}) EXPECT_EQ(Limited(limiter, sound, block), whole) << block;
}

}  // namespace
}  // namespace trunkline::dsp
