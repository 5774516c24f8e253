#include "asr/segmenter.h"

#include <gtest/gtest.h>

#include "asr/window.h"

namespace trunkline::asr {
namespace {

void Add(std::vector<SpeechFrame>& frames, double seconds, float speech, float level_db) {
  frames.insert(frames.end(), static_cast<size_t>(seconds / 0.032 + 0.5), SpeechFrame{speech, level_db});
}

TEST(FirstWindow, LeavesOutWhatNobodySpokeIn) {
  std::vector<SpeechFrame> frames;
  Add(frames, 60, 0.02f, -70);
  const SpeechWindow whole = FirstWindow(frames, true);
  EXPECT_TRUE(whole.silent);
  EXPECT_EQ(whole.end, frames.size() * kHeardSamples);
  const SpeechWindow part = FirstWindow(frames, false);
  EXPECT_TRUE(part.silent);
  EXPECT_LT(part.end, frames.size() * kHeardSamples) << "the end may be the start of a word";
  EXPECT_TRUE(FirstWindow({}, true).silent);
}

TEST(FirstWindow, ShortSpeechIsOneWindowWithItsMargins) {
  std::vector<SpeechFrame> frames;
  Add(frames, 4, 0.02f, -70);
  Add(frames, 2, 0.9f, -20);
  Add(frames, 5, 0.02f, -70);
  const SpeechWindow window = FirstWindow(frames, true);
  ASSERT_FALSE(window.silent);
  EXPECT_NEAR(static_cast<double>(window.begin) / 16000, 4 - 0.992, 0.05);
  EXPECT_NEAR(static_cast<double>(window.end) / 16000, 6 + 0.992, 0.05);
  ASSERT_EQ(window.speech.size(), 1u);
  EXPECT_NEAR(window.speech[0].start, 0.992, 0.04);
}

TEST(FirstWindow, SplitsLongSpeechInItsPauses) {
  std::vector<SpeechFrame> frames;
  for (int i = 0; i < 12; ++i) {
    Add(frames, 4, 0.9f, -20);
    Add(frames, i == 5 ? 0.9 : 0.3, 0.02f, -70);
  }
  const SpeechWindow window = FirstWindow(frames, false);
  ASSERT_FALSE(window.silent);
  EXPECT_LE(window.end - window.begin, kWindowSamples);
  // The longest pause is at 4.3 * 5 + 4 = 25.5 s.
  EXPECT_NEAR(static_cast<double>(window.end) / 16000, 25.95, 0.3);
}

TEST(FirstWindow, SpeechWithoutAPauseIsSplitAtItsQuietestPlace) {
  std::vector<SpeechFrame> frames;
  Add(frames, 20, 0.9f, -20);
  Add(frames, 0.096, 0.9f, -50);
  Add(frames, 20, 0.9f, -20);
  const SpeechWindow window = FirstWindow(frames, false);
  EXPECT_NEAR(static_cast<double>(window.end) / 16000, 20.03, 0.1);
}

TEST(FirstWindow, TheWindowsOfARecordingCoverItsSpeechOnce) {
  std::vector<SpeechFrame> frames;
  uint32_t state = 1;
  const auto random = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (int i = 0; i < 60; ++i) {
    Add(frames, 0.2 + random() % 80 * 0.1, 0.9f, -20.0f - static_cast<float>(random() % 10));
    Add(frames, 0.1 + random() % 50 * 0.1, 0.02f, -70);
  }
  std::vector<int> covered(frames.size(), 0);
  for (size_t at = 0; at < frames.size();) {
    const size_t known = std::min<size_t>(frames.size() - at, 1250);
    const SpeechWindow window =
        FirstWindow(std::span(frames).subspan(at, known), at + known == frames.size());
    ASSERT_LE(window.end - window.begin, kWindowSamples);
    ASSERT_GT(window.end, 0u) << "no progress at frame " << at;
    if (!window.silent) {
      for (size_t i = window.begin / kHeardSamples; i < window.end / kHeardSamples; ++i) ++covered[at + i];
    }
    at += window.end / kHeardSamples;
  }
  for (size_t i = 0; i < frames.size(); ++i) {
    ASSERT_LE(covered[i], 1);
    if (frames[i].speech > 0.5f) ASSERT_EQ(covered[i], 1) << "frame " << i;
  }
}

TEST(FirstWindow, ItsPhrasesAreLongEnoughToTellALanguageAndNoLonger) {
  std::vector<SpeechFrame> frames;
  for (int i = 0; i < 3; ++i) {
    Add(frames, 0.5, 0.9f, -20);
    Add(frames, 0.2, 0.02f, -70);
  }
  Add(frames, 1, 0.02f, -70);
  Add(frames, 4, 0.9f, -20);
  Add(frames, 0.096, 0.9f, -50);
  Add(frames, 4, 0.9f, -20);
  const SpeechWindow window = FirstWindow(frames, true);
  ASSERT_EQ(window.speech.size(), 4u);
  ASSERT_EQ(window.phrases.size(), 3u);
  EXPECT_NEAR(window.phrases[0].end - window.phrases[0].start, 1.9, 0.05) << "short stretches are one phrase";
  EXPECT_NEAR(window.phrases[1].end - window.phrases[1].start, 4.05, 0.1)
      << "a long one is split where it is quiet";
  EXPECT_EQ(window.phrases[1].end, window.phrases[2].start);
  EXPECT_EQ(window.phrases[2].end, window.speech[3].end);
}

TEST(FirstWindow, SaysWhetherSomebodySpeaksOn) {
  std::vector<SpeechFrame> frames;
  for (int i = 0; i < 12; ++i) {
    Add(frames, 4, 0.9f, -20);
    Add(frames, 0.3, 0.02f, -70);
  }
  EXPECT_TRUE(FirstWindow(frames, false).goes_on);
  frames.resize(300);
  EXPECT_FALSE(FirstWindow(frames, true).goes_on);
}

}  // namespace
}  // namespace trunkline::asr
