#include "lanes/hear/sound_ring.h"

#include <gtest/gtest.h>

#include <vector>

#include "lanes/hear/speech_spans.h"

namespace trunkline::hear {
namespace {

// Each second holds its own number.
std::vector<float> Second(int number) {
  return std::vector<float>(16000, static_cast<float>(number));
}

TEST(SoundRing, GivesWhatLiesBetweenTwoSecondsAndNoMoreThanIsThere) {
  SoundRing ring;
  for (int second = 0; second < 3; ++second) ring.Add(Second(second));
  EXPECT_EQ(ring.seconds(), 3);
  const auto middle = ring.Range(1, 2);
  ASSERT_EQ(middle.size(), 16000u);
  EXPECT_EQ(middle.front(), 1);
  EXPECT_EQ(middle.back(), 1);
  EXPECT_EQ(ring.Range(-1, 0.5).size(), 8000u);
  EXPECT_EQ(ring.Range(2.5, 9).size(), 8000u);
  EXPECT_TRUE(ring.Range(4, 9).empty());
}

TEST(SoundRing, KeepsTheLastHalfMinute) {
  SoundRing ring;
  for (int second = 0; second < 40; ++second) ring.Add(Second(second));
  EXPECT_TRUE(ring.Range(1, 2).empty());
  ASSERT_FALSE(ring.Range(20, 21).empty());
  EXPECT_EQ(ring.Range(20, 21).front(), 20);
  EXPECT_EQ(ring.Range(39, 40).back(), 39);
}

TEST(SpeechSpans, JoinsFramesAcrossAShortGapAndPartsThemAtALongOne) {
  SpeechSpans spans;
  for (const double end_s : {1.0, 1.05, 1.12, 2.0}) spans.Note(0.9f, end_s);
  spans.Note(0.01f, 2.03);
  const auto all = spans.Since(0);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].end, 1.12);
  EXPECT_EQ(all[1].end, 2.0);
  ASSERT_EQ(spans.Since(1.12).size(), 1u);
  EXPECT_TRUE(spans.Since(2).empty());
}

}  // namespace
}  // namespace trunkline::hear
