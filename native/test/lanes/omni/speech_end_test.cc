#include "lanes/omni/speech_end.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace trunkline::omni {
namespace {

// Noise at levels in dBFS, each so many milliseconds long.
std::vector<float> Sounds(const std::vector<std::pair<int, double>>& pieces) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise;
  std::vector<float> sound;
  for (const auto& [ms, dbfs] : pieces) {
    for (int i = 0; i < ms * 16; ++i)
      sound.push_back(static_cast<float>(noise(random) * std::pow(10, dbfs / 20)));
  }
  return sound;
}

TEST(SpeechEnd, IsWhereTheLevelLastIsWithinTheMarginOfTheActiveSpeech) {
  EXPECT_NEAR(SecondsSinceSpeech(Sounds({{300, -80}, {500, -20}, {200, -33}, {250, -80}})), 0.25, 0.011);
  EXPECT_NEAR(SecondsSinceSpeech(Sounds({{300, -80}, {500, -20}, {200, -39}, {250, -80}})), 0.45, 0.011);
  EXPECT_NEAR(SecondsSinceSpeech(Sounds({{300, -50}, {500, -20}, {120, -50}})), 0.12, 0.011);
}

TEST(SpeechEnd, TakesNoClickBehindItForSpeechAndNoPauseForItsEnd) {
  const auto sound = Sounds({{400, -20}, {500, -80}, {300, -25}, {100, -80}, {20, -15}, {80, -80}});
  EXPECT_NEAR(SecondsSinceSpeech(sound), 0.2, 0.011);
}

TEST(SpeechEnd, DoesNotDependOnHowLoudTheVoiceIs) {
  for (const double level : {-60.0, -40.0, -10.0})
    EXPECT_NEAR(SecondsSinceSpeech(Sounds({{600, level}, {170, level - 25}})), 0.17, 0.011) << level;
}

TEST(SpeechEnd, IsAllOfWhatHasNoSpeech) {
  EXPECT_EQ(SecondsSinceSpeech({}), 0);
  EXPECT_EQ(SecondsSinceSpeech(std::vector<float>(3200)), 0.2);
  EXPECT_EQ(SecondsSinceSpeech(Sounds({{20, -20}, {100, -90}})), 0.12);
}

TEST(SpeechEnd, LooksAtTheLastSixteenSecondsOfALongSound) {
  EXPECT_NEAR(SecondsSinceSpeech(Sounds({{20000, -20}, {300, -80}})), 0.3, 0.011);
  EXPECT_NEAR(SecondsSinceSpeech(Sounds({{1000, -20}, {17000, -120}, {500, -60}, {100, -120}})), 0.1, 0.011);
}

}  // namespace
}  // namespace trunkline::omni
