#include "asr/split_point.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::asr {
namespace {

constexpr double kFrame = 0.032;

// A window of 12 s in which somebody says a word each half second, the first letter of each at its start.
struct Spoken {
  Spoken() {
    for (int i = 0; i < 24; ++i)
      words.push_back({std::string("word") + static_cast<char>('a' + i), i * 0.5, (i + 1) * 0.5, 0});
    frames.assign(static_cast<size_t>(12 / kFrame), {0.9f, -20});
  }
  void Quiet(double from_s, double to_s, float level_db, float speech = 0.9f) {
    for (size_t i = 0; i < frames.size(); ++i) {
      const double middle = (static_cast<double>(i) + 0.5) * kFrame;
      if (middle > from_s && middle < to_s) frames[i] = {speech, level_db};
    }
  }
  SplitPoint Find(size_t stable = 0) const { return FindSplitPoint(words, stable, {frames, 0}, 12); }

  std::vector<Word> words;
  std::vector<SpeechFrame> frames;
};

TEST(SplitPoint, LiesBetweenTwoWordsWhereItIsQuietest) {
  Spoken spoken;
  spoken.Quiet(9.95, 10.05, -40);
  spoken.Quiet(10.7, 10.85, -60);  // a closure in the middle of a word
  const SplitPoint seam = spoken.Find();
  EXPECT_EQ(seam.words, 20u);
  EXPECT_NEAR(seam.at_s, 10, 0.1);
}

TEST(SplitPoint, PrefersAPlaceWithoutAVoiceAndTheEndOfASentence) {
  Spoken spoken;
  spoken.Quiet(9.9, 10.1, -30);
  spoken.Quiet(10.4, 10.6, -25, 0.1f);
  EXPECT_EQ(spoken.Find().words, 21u) << "a loud line's pause";
  spoken.words[18].text += ".";
  spoken.Quiet(9.4, 9.6, -30);
  spoken.Quiet(10.4, 10.6, -25);
  EXPECT_EQ(spoken.Find().words, 19u);
}

TEST(SplitPoint, OfAGivenWordIsWhereItIsQuietestBesideIt) {
  Spoken spoken;
  spoken.Quiet(7.4, 7.6, -35);
  spoken.Quiet(9.9, 10.1, -60);
  const SplitPoint seam = SplitAfter(spoken.words, 15, {spoken.frames, 0});
  EXPECT_EQ(seam.words, 15u);
  EXPECT_NEAR(seam.at_s, 7.5, 0.1);
}

TEST(SplitPoint, IsNotBesideDigits) {
  Spoken spoken;
  spoken.words[19].text = "42";
  spoken.Quiet(9.4, 9.6, -35);
  spoken.Quiet(9.9, 10.1, -35);
  spoken.Quiet(10.9, 11.1, -30);
  EXPECT_EQ(spoken.Find().words, 22u);
}

TEST(SplitPoint, KeepsStableWords) {
  Spoken spoken;
  spoken.Quiet(8.9, 9.1, -60);
  EXPECT_EQ(spoken.Find().words, 18u);
  spoken.Quiet(10.4, 10.6, -40);
  const std::string stable = TextOf(std::span(spoken.words).first(20));
  EXPECT_EQ(spoken.Find(stable.size()).words, 21u);
}

TEST(SplitPoint, StaysAwayFromTheLastHalfWord) {
  Spoken spoken;
  spoken.words.push_back({"wo", 11.8, 12, 0});
  spoken.words[23].end = 11.8;
  spoken.Quiet(11.7, 11.9, -70);
  EXPECT_LT(spoken.Find().words, 24u);
}

// A text that stops although somebody speaks on: the next utterance hears the rest again.
TEST(SplitPoint, FollowsATextThatStopsEarly) {
  Spoken spoken;
  spoken.words.resize(13);
  const SplitPoint seam = spoken.Find();
  EXPECT_EQ(seam.words, 13u);
  EXPECT_NEAR(seam.at_s, 6.5, 0.1);
}

TEST(SplitPoint, IsWhereItIsQuietWhenThereAreNoWords) {
  Spoken spoken;
  spoken.words.clear();
  spoken.Quiet(10.2, 10.4, -50);
  const SplitPoint seam = spoken.Find();
  EXPECT_EQ(seam.words, 0u);
  EXPECT_NEAR(seam.at_s, 10.3, 0.1);
}

TEST(SplitPoint, OfOneLongWordLosesNothing) {
  Spoken spoken;
  spoken.words.assign(1, {"Aaaah", 0, 11.2, 0});
  const SplitPoint seam = spoken.Find();
  EXPECT_EQ(seam.words, 1u);
  EXPECT_GE(seam.at_s, 11.2);
  EXPECT_LE(seam.at_s, 12);
}

}  // namespace
}  // namespace trunkline::asr
