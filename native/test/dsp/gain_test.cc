#include "dsp/gain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "dsp/convert.h"
#include "dsp/limiter.h"
#include "test/dsp/allocation_counter.h"
#include "test/dsp/signals.h"

namespace trunkline::dsp {
namespace {

double LargestStep(std::span<const float> samples) {
  double step = 0;
  for (size_t i = 1; i < samples.size(); ++i)
    step = std::max(step, std::abs(double{samples[i]} - samples[i - 1]));
  return step;
}

// Energy beyond `edge` Hz of a 1 kHz tone's neighbourhood: what is heard of a click.
double ClickLevel(std::span<const float> samples, int rate) {
  // A second difference rises by 12 dB an octave, so it weighs the high, audible part of a click.
  double worst = 0;
  for (size_t i = 2; i < samples.size(); ++i) {
    worst = std::max(worst, std::abs(double{samples[i]} - 2.0 * samples[i - 1] + samples[i - 2]));
  }
  return worst * rate / 8000;
}

TEST(GainRamp, MuteIsSilentAfterFiveMillisecondsAndDoesNotClick) {
  for (int rate : {8000, 16000, 24000}) {
    auto sound = Tone(300, rate, static_cast<size_t>(rate) / 10, 0.5);
    const double plain = ClickLevel(sound, rate);
    GainRamp ramp(rate);
    ramp.Process(std::span(sound).first(333));
    ramp.Mute();
    ramp.Process(std::span(sound).subspan(333));
    EXPECT_TRUE(ramp.silent());
    const size_t end = 333 + static_cast<size_t>(rate) * kMuteMs / 1000;
    for (size_t i = end; i < sound.size(); ++i) ASSERT_EQ(sound[i], 0);
    EXPECT_NE(sound[end - 2], 0);
    EXPECT_LT(ClickLevel(sound, rate), 3 * plain) << "a hard cut makes this some dozen times the tone's own";
    auto hard = Tone(300, rate, static_cast<size_t>(rate) / 10, 0.5);
    std::fill(std::max_element(hard.begin() + 333, hard.end()), hard.end(), 0.0f);
    EXPECT_GT(ClickLevel(hard, rate), 6 * plain);
  }
}

TEST(GainRamp, TurnsBackFromWhereItIs) {
  GainRamp ramp(8000, 0);
  std::vector<float> ones(200, 1.0f);
  ramp.To(1, 20);
  ramp.Process(std::span(ones).first(80));
  ramp.To(0, 10);
  ramp.Process(std::span(ones).subspan(80));
  EXPECT_LT(LargestStep(ones), 0.03);
  EXPECT_EQ(ones.back(), 0);
  EXPECT_EQ(*std::ranges::max_element(ones), ones[79]);
}

TEST(GainRamp, EverySplitGivesTheSameBits) {
  const auto in = Noise(700, 0.7, 3);
  auto whole = in;
  GainRamp one(16000, 0.2f);
  one.To(1.5f, 30);
  one.Process(whole);
  for (size_t piece = 1; piece < 500; ++piece) {
    auto cut = in;
    GainRamp ramp(16000, 0.2f);
    ramp.To(1.5f, 30);
    for (size_t at = 0; at < cut.size(); at += piece) {
      ramp.Process(std::span(cut).subspan(at, std::min(piece, cut.size() - at)));
    }
    ASSERT_EQ(cut, whole);
  }
}

TEST(GainRamp, ZeroLengthIsAtOnceAndCutsWhatIsNoNumber) {
  GainRamp ramp(8000);
  ramp.To(0, 0);
  std::vector<float> bad(10, std::numeric_limits<float>::quiet_NaN());
  ramp.Process(bad);
  EXPECT_EQ(bad, std::vector<float>(10));
}

TEST(Convert, RoundsToEvenSaturatesAndHolds) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> in = {0.5f / 32768, 1.5f / 32768, 2, -2, 0.25f, nan, -1, 1e30f, 0};
  std::vector<int16_t> out(in.size());
  ToInt16(in, out);
  EXPECT_EQ(out, (std::vector<int16_t>{0, 2, 32767, -32768, 8192, 8192, -32768, -32768, 0}));
  std::vector<int16_t> all(65536), back(65536);
  for (int i = 0; i < 65536; ++i) all[static_cast<size_t>(i)] = static_cast<int16_t>(i - 32768);
  std::vector<float> floats(65536);
  ToFloat(all, floats);
  ToInt16(floats, back);
  EXPECT_EQ(all, back);
}

TEST(Limiter, NothingLeavesAboveTheCeiling) {
  for (int rate : {8000, 16000, 24000}) {
    Limiter limiter(rate);
    auto in = Noise(20000, 3, 5);
    in[5000] = 100;
    in[5001] = -1e8f;
    std::vector<float> out(in.size());
    limiter.Process(in, out);
    for (float sample : out) ASSERT_LE(std::abs(sample), 0.891f);
  }
}

TEST(Limiter, LeavesSoftSoundAsItIs) {
  Limiter limiter(16000);
  const auto in = Tone(440, 16000, 4000, 0.89);
  std::vector<float> out(in.size());
  limiter.Process(in, out);
  const size_t delay = limiter.delay_samples();
  EXPECT_LE(delay, 32u);
  for (size_t i = delay; i < out.size(); ++i) ASSERT_EQ(out[i], in[i - delay]);
}

TEST(Limiter, GainNeverJumps) {
  Limiter limiter(16000);
  // A constant makes the gain visible; one peak makes it fall and recover.
  std::vector<float> in(8000, 0.5f);
  in[3000] = 4;
  std::vector<float> out(in.size());
  limiter.Process(in, out);
  out[3000 + limiter.delay_samples()] = out[2999 + limiter.delay_samples()];
  std::span<const float> after = std::span(out).subspan(limiter.delay_samples() + 1);
  EXPECT_LT(LargestStep(after), 0.5 / 16) << "down over the look-ahead";
  EXPECT_NEAR(out.back(), 0.5, 0.5 * std::exp(-4.5));
}

TEST(Limiter, EverySplitGivesTheSameBitsAndAllocatesNothing) {
  const auto in = Noise(3000, 2, 7);
  std::vector<float> whole(in.size()), cut(in.size());
  Limiter one(16000);
  const long before = AllocationsOfThisThread();
  one.Process(in, whole);
  EXPECT_EQ(AllocationsOfThisThread(), before);
  for (size_t piece = 1; piece < 300; ++piece) {
    Limiter limiter(16000);
    for (size_t at = 0; at < in.size(); at += piece) {
      const size_t part = std::min(piece, in.size() - at);
      limiter.Process(std::span(in).subspan(at, part), std::span(cut).subspan(at, part));
    }
    ASSERT_EQ(cut, whole);
  }
}

}  // namespace
}  // namespace trunkline::dsp
