#include "dsp/watermark/watermark.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>
#include <vector>

#include "dsp/dsp.h"

namespace trunkline::watermark {
namespace {

constexpr int kRate = 24000;
constexpr WatermarkCode kOurs{0x0123456789abcdefULL, 0xfedcba9876543210ULL};
constexpr WatermarkCode kOthers{0x0123456789abcdefULL, 0x5a5a1234c3c3777eULL};
constexpr WatermarkCode kElsewhere{0x1111111122222222ULL, 0xfedcba9876543210ULL};

// Noise that swells as syllables do.
std::vector<float> Babble(double seconds, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> sound(static_cast<size_t>(seconds * kRate));
  float low = 0;
  for (size_t i = 0; i < sound.size(); ++i) {
    low += 0.2F * (normal(random) - low);
    const double at = static_cast<double>(i) / kRate;
    sound[i] = 0.2F * low * static_cast<float>(0.6 + 0.4 * std::sin(2 * M_PI * 4 * at));
  }
  return sound;
}

std::vector<float> Marked(std::vector<float> sound, const WatermarkCode& code) {
  WatermarkEmbedder(code, kRate).Process(sound);
  return sound;
}

Detection Read(std::span<const float> sound, const WatermarkCode& code, double from = 0, int rate = kRate) {
  const std::vector<float> heard = dsp::ResampleWhole(sound, rate, kDetectionRate, dsp::Grade::kSpeech);
  return WatermarkDetector(code).Read(std::span(heard).subspan(static_cast<size_t>(from * kDetectionRate)));
}

TEST(Mark, IsFoundInFiveSecondsCutAnywhere) {
  const auto sound = Marked(Babble(12), kOurs);
  for (const double from : {0.0, 1.37, 4.801}) {
    const Detection reading = Read(sound, kOurs, from);
    EXPECT_GT(reading.whole, 9) << from;
    EXPECT_GT(reading.tag, 5) << from;
    EXPECT_NEAR(reading.speed, 1, 0.0021) << from;
  }
}

TEST(Mark, IsNotFoundWhereThereIsNone) {
  const auto sound = Babble(12);
  for (const double from : {0.0, 1.37, 4.801}) EXPECT_LT(Read(sound, kOurs, from).score(), 6) << from;
  EXPECT_LT(Read(Marked(sound, kElsewhere), kOurs).score(), 6);
}

TEST(Mark, OfAnotherTagIsFoundAndNotOurs) {
  const Detection reading = Read(Marked(Babble(8), kOthers), kOurs);
  EXPECT_GT(reading.common, 6.5);
  EXPECT_LT(reading.tag, 0.5F * reading.common);
}

// Short lines with pauses, each of which begins the pattern anew.
std::vector<float> Lines(size_t lines, const WatermarkCode& code, unsigned seed = 1) {
  std::vector<float> sound(kRate / 4, 0.0F);
  for (size_t i = 0; i < lines; ++i) {
    const auto line =
        Marked(Babble(0.6 + 0.05 * static_cast<double>(i % 5), seed + static_cast<unsigned>(i)), code);
    sound.insert(sound.end(), line.begin(), line.end());
    sound.insert(sound.end(), kRate / 4 + 37 * i, 0.0F);
  }
  return sound;
}

Detection ReadLines(std::span<const float> sound, const WatermarkCode& code) {
  return PhraseDetector(code).Read(dsp::ResampleWhole(sound, kRate, kDetectionRate, dsp::Grade::kSpeech));
}

// @requirement Provenance: Casts carry the watermark through mastering and MP3.
TEST(Mark, IsFoundInShortLinesThatEachBeginIt) {
  const auto sound = Lines(8, kOurs);
  EXPECT_LT(Read(sound, kOurs).score(), 7);
  const Detection reading = ReadLines(sound, kOurs);
  EXPECT_GT(reading.whole, 12);
  EXPECT_GT(reading.tag, 8);
  const Detection others = ReadLines(Lines(8, kOthers), kOurs);
  EXPECT_GT(others.common, 8);
  EXPECT_LT(others.tag, 0.5F * others.common);
}

// @requirement Provenance: The detector's threshold keeps false positives below one in a million.
// Chance detections are as rare as the bound says.
TEST(Mark, IsSeldomFoundInShortLinesWhereThereIsNone) {
  const auto sound = Lines(8, kElsewhere);
  const auto heard = dsp::ResampleWhole(sound, kRate, kDetectionRate, dsp::Grade::kSpeech);
  constexpr uint64_t kCodes = 40;
  size_t passed = 0;
  for (uint64_t code = 0; code < kCodes; ++code) {
    const double score = PhraseDetector({code, ~code}).Read(heard).score();
    // The bound is a probability of a tenth.
    if (kTried * std::exp(-score * score / 2) < 0.1) ++passed;
  }
  EXPECT_LE(passed, kCodes / 10);
}

TEST(Mark, SurvivesSpeedAndCompanding) {
  const auto sound = Marked(Babble(8), kOurs);
  for (const int rate :
       {static_cast<int>(kRate * 1.03), static_cast<int>(kRate * 0.97), static_cast<int>(kRate * 0.983)}) {
    // Played at another rate than it was made at.
    std::vector<float> played;
    const double step = static_cast<double>(rate) / kRate;
    for (double at = 0; at + 1 < static_cast<double>(sound.size()); at += step) {
      const auto i = static_cast<size_t>(at);
      const auto part = static_cast<float>(at - static_cast<double>(i));
      played.push_back(sound[i] * (1 - part) + sound[i + 1] * part);
    }
    EXPECT_GT(Read(played, kOurs).whole, 8) << rate;
  }
}

TEST(WatermarkEmbedder, GivesTheSameForAnySplit) {
  const auto whole = Marked(Babble(2), kOurs);
  auto parts = Babble(2);
  WatermarkEmbedder marker(kOurs, kRate);
  for (size_t at = 0, step = 1; at < parts.size(); at += step, step = step * 7 % 997 + 1)
    marker.Process(std::span(parts).subspan(at, std::min(step, parts.size() - at)));
  EXPECT_EQ(parts, whole);
}

TEST(WatermarkEmbedder, LeavesSilenceAndIsQuick) {
  std::vector<float> silence(static_cast<size_t>(kRate), 0.0F);
  WatermarkEmbedder(kOurs, kRate).Process(silence);
  for (const float sample : silence) ASSERT_EQ(sample, 0.0F);
  auto sound = Babble(20);
  WatermarkEmbedder marker(kOurs, kRate);
  const auto begin = std::chrono::steady_clock::now();
  marker.Process(sound);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  RecordProperty("microseconds_a_second", static_cast<int>(took.count() / 20 * 1e6));
  EXPECT_LT(took.count() / 20, 0.01);
}

TEST(WatermarkCode, IsThirtyTwoDigits) {
  WatermarkCode code;
  EXPECT_TRUE(ParseWatermarkCode("0123456789abcdeffedcba9876543210", code));
  EXPECT_EQ(code.deployment, kOurs.deployment);
  EXPECT_EQ(code.tag, kOurs.tag);
  for (const char* bad :
       {"", "0123456789abcdef", "0123456789abcdeffedcba987654321g", "0123456789abcdef-edcba9876543210"})
    EXPECT_FALSE(ParseWatermarkCode(bad, code)) << bad;
}

}  // namespace
}  // namespace trunkline::watermark
