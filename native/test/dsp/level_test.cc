#include "dsp/level.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "test/dsp/allocation_counter.h"
#include "test/dsp/signals.h"

namespace trunkline::dsp {
namespace {

std::vector<LevelReading> Read(LevelMeter& meter, const std::vector<float>& samples, size_t piece = 1 << 20) {
  std::vector<LevelReading> readings;
  for (size_t at = 0; at < samples.size(); at += piece) {
    const auto part = std::span(samples).subspan(at, std::min(piece, samples.size() - at));
    std::vector<LevelReading> some(meter.WindowsIn(part.size()));
    EXPECT_EQ(meter.Process(part, some), some.size());
    readings.insert(readings.end(), some.begin(), some.end());
  }
  return readings;
}

TEST(LevelMeter, ReadsSinesAndSquaresAsDefined) {
  for (int rate : {8000, 16000, 24000, 48000}) {
    LevelMeter meter(rate);
    const auto readings = Read(meter, Tone(1000, rate, static_cast<size_t>(rate), 1));
    ASSERT_EQ(readings.size(), 100u);
    EXPECT_NEAR(readings.back().rms_dbfs, -3.01, 0.01);
    EXPECT_NEAR(readings.back().peak_dbfs, 0, 0.05);
    LevelMeter square(rate);
    std::vector<float> wave(static_cast<size_t>(rate) / 10);
    for (size_t i = 0; i < wave.size(); ++i) wave[i] = i / 10 % 2 ? 0.1f : -0.1f;
    EXPECT_NEAR(Read(square, wave).back().rms_dbfs, -20, 0.01);
  }
}

TEST(LevelMeter, SilenceHasItsOwnValue) {
  LevelMeter meter(8000);
  const auto readings = Read(meter, std::vector<float>(800));
  EXPECT_EQ(readings.back().rms_dbfs, kSilenceDbfs);
  EXPECT_EQ(readings.back().peak_dbfs, kSilenceDbfs);
  EXPECT_EQ(readings.back().floor_dbfs, kSilenceDbfs);
}

TEST(LevelMeter, RisesAndFallsWithItsTimeConstants) {
  LevelMeter meter(8000);
  Read(meter, std::vector<float>(8000));
  // The power reaches 63 % of the step, 2 dB below it, after one attack constant.
  const auto rise = Read(meter, Tone(1000, 8000, 8000, 0.5));
  const float full = rise.back().smooth_dbfs;
  EXPECT_NEAR(rise[LevelMeter::kAttackMs / 10 - 1].smooth_dbfs, full + 10 * std::log10(1 - std::exp(-1.0)),
              0.1);
  const auto fall = Read(meter, std::vector<float>(8000));
  EXPECT_NEAR(fall[LevelMeter::kReleaseMs / 10 - 1].smooth_dbfs, full - 4.343, 0.1);
}

TEST(LevelMeter, FloorFollowsNoiseAndNotSpeech) {
  LevelMeter meter(8000);
  auto noise = Noise(8000 * 2, 0.0173, 1);  // -40 dBFS
  const auto steady = Read(meter, noise);
  EXPECT_NEAR(steady.back().floor_dbfs, -40, 1.5);
  // Bursts of 400 ms with 200 ms between them, as syllables and words come: the floor stays.
  std::vector<float> bursts;
  for (int i = 0; i < 8; ++i) {
    Append(bursts, Tone(300, 8000, 3200, 0.3));
    Append(bursts, Noise(1600, 0.0173, static_cast<unsigned>(i)));
  }
  for (const LevelReading& reading : Read(meter, bursts)) EXPECT_LT(reading.floor_dbfs, -33);
  // Louder noise is the new floor within two seconds, softer noise within a quarter.
  EXPECT_NEAR(Read(meter, Noise(8000 * 2, 0.173, 2)).back().floor_dbfs, -20, 1.5);
  EXPECT_NEAR(Read(meter, Noise(4000, 0.00173, 3)).back().floor_dbfs, -60, 3);
}

TEST(LevelMeter, EverySplitGivesTheSameReadings) {
  const auto in = Noise(5000, 0.5, 4);
  LevelMeter whole(16000);
  const auto wanted = Read(whole, in);
  for (size_t piece = 1; piece < 400; ++piece) {
    LevelMeter meter(16000);
    const auto readings = Read(meter, in, piece);
    ASSERT_EQ(readings.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(readings[i].rms_dbfs, wanted[i].rms_dbfs);
      ASSERT_EQ(readings[i].smooth_dbfs, wanted[i].smooth_dbfs);
      ASSERT_EQ(readings[i].floor_dbfs, wanted[i].floor_dbfs);
    }
  }
}

TEST(LevelMeter, ContainsWhatIsNoNumberAndAllocatesNothing) {
  LevelMeter meter(8000);
  auto in = Tone(500, 8000, 1600, 0.5);
  in[300] = std::numeric_limits<float>::quiet_NaN();
  in[301] = std::numeric_limits<float>::infinity();
  std::vector<LevelReading> readings(20);
  const long before = AllocationsOfThisThread();
  meter.Process(in, readings);
  EXPECT_EQ(AllocationsOfThisThread(), before);
  for (const LevelReading& reading : readings) EXPECT_NEAR(reading.rms_dbfs, -9.03, 0.3);
}

TEST(LevelMeter, RatesThatItCannotServeDoNoHarm) {
  for (int rate : {-1, 0, 7, 11025, 1000000}) {
    LevelMeter meter(rate);
    EXPECT_FALSE(Read(meter, Noise(3000, 0.1, 1)).empty());
  }
}

}  // namespace
}  // namespace trunkline::dsp
