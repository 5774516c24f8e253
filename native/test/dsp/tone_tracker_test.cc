#include "dsp/tone_tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "test/dsp/allocation_counter.h"
#include "test/dsp/signals.h"

namespace trunkline::dsp {
namespace {

std::vector<ToneEvent> Track(const std::vector<float>& sound, int rate, size_t piece = 160) {
  ToneTracker tracker(rate);
  std::vector<ToneEvent> events, some(512);
  for (size_t at = 0; at < sound.size(); at += piece) {
    const size_t count =
        tracker.Process(std::span(sound).subspan(at, std::min(piece, sound.size() - at)), some);
    events.insert(events.end(), some.begin(), some.begin() + static_cast<long>(count));
  }
  return events;
}

std::vector<ToneEvent> Ended(const std::vector<ToneEvent>& events) {
  std::vector<ToneEvent> ended;
  for (const ToneEvent& event : events) {
    if (event.ended) ended.push_back(event);
  }
  return ended;
}

struct Beep {
  double hertz, ms;
};

class BeepTest : public testing::TestWithParam<int> {};

TEST_P(BeepTest, EveryBeepIsFoundWithItsStartAndEnd) {
  const int rate = GetParam();
  const double tolerance = 0.01 * rate;
  for (double hertz = 300; hertz <= 2500; hertz += 61) {
    for (double ms : {80.0, 95.0, 200.0, 1000.0}) {
      std::vector<float> sound(static_cast<size_t>(rate / 5 + static_cast<int>(hertz) % 40));
      const size_t start = sound.size();
      Append(sound, Tone(hertz, rate, static_cast<size_t>(ms * rate / 1000), 0.1, hertz));
      const size_t end = sound.size();
      sound.resize(end + static_cast<size_t>(rate / 5));
      // Noise 25 dB below.
      const auto hiss =
          Noise(sound.size(), 0.0707 * std::sqrt(3) * std::pow(10, -25.0 / 20), static_cast<unsigned>(hertz));
      for (size_t i = 0; i < sound.size(); ++i) sound[i] += hiss[i];
      const auto events = Ended(Track(sound, rate));
      ASSERT_EQ(events.size(), 1u) << hertz << " Hz " << ms << " ms";
      EXPECT_NEAR(events[0].frequency, hertz, 0.01 * hertz);
      EXPECT_NEAR(events[0].level_dbfs, -23, 1);
      EXPECT_NEAR(static_cast<double>(events[0].start), static_cast<double>(start), tolerance)
          << hertz << " " << ms;
      EXPECT_NEAR(static_cast<double>(events[0].end), static_cast<double>(end), tolerance)
          << hertz << " " << ms;
    }
  }
}

TEST_P(BeepTest, ShortPipsAndNoiseAreNoTones) {
  const int rate = GetParam();
  for (double ms : {10.0, 30.0, 50.0}) {
    std::vector<float> sound(static_cast<size_t>(rate / 5));
    Append(sound, Tone(1000, rate, static_cast<size_t>(ms * rate / 1000), 0.1));
    sound.resize(sound.size() + static_cast<size_t>(rate / 5));
    EXPECT_TRUE(Track(sound, rate).empty()) << ms;
  }
  EXPECT_TRUE(Track(Noise(static_cast<size_t>(rate) * 20, 0.3, 1), rate).empty());
}

INSTANTIATE_TEST_SUITE_P(Rates, BeepTest, testing::Values(8000, 16000));

TEST(ToneTracker, TwoTonesAtOnceAreNotOne) {
  auto sound = Tone(697, 8000, 8000, 0.1);
  const auto other = Tone(1209, 8000, 8000, 0.1);
  for (size_t i = 0; i < sound.size(); ++i) sound[i] += other[i];
  EXPECT_TRUE(Track(sound, 8000).empty());
}

TEST(ToneTracker, AGlideIsAtMostAnUnsteadyTone) {
  std::vector<float> sound(8000);
  double phase = 0;
  for (size_t i = 0; i < sound.size(); ++i) {
    phase += 2 * std::numbers::pi * (400 + 1600 * static_cast<double>(i) / 8000) / 8000;
    sound[i] = static_cast<float>(0.2 * std::sin(phase));
  }
  for (const ToneEvent& event : Ended(Track(sound, 8000))) EXPECT_GT(event.pitch_spread, 0.004);
}

TEST(ToneTracker, FollowingTonesAreToldApart) {
  std::vector<float> sound(1600);
  for (double hertz : {950.0, 1400.0, 1800.0}) Append(sound, Tone(hertz, 8000, 2640, 0.1));
  sound.resize(sound.size() + 1600);
  const auto events = Ended(Track(sound, 8000));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_NEAR(events[0].frequency, 950, 5);
  EXPECT_NEAR(events[1].frequency, 1400, 5);
  EXPECT_NEAR(events[2].frequency, 1800, 5);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(static_cast<double>(events[i].start), 1600 + 2640.0 * static_cast<double>(i), 80);
    EXPECT_NEAR(static_cast<double>(events[i].end), 1600 + 2640.0 * static_cast<double>(i + 1), 80);
  }
}

TEST(ToneTracker, ALongToneIsToldAgainAndAgain) {
  const auto events = Track(Tone(1000, 8000, 16000, 0.1), 8000);
  EXPECT_GE(events.size(), 15u);
  EXPECT_LT(events.front().end, 8 * 120);
  for (const ToneEvent& event : events) EXPECT_FALSE(event.ended);
}

TEST(ToneTracker, EverySplitGivesTheSameEventsAndAllocatesNothing) {
  std::vector<float> sound(777);
  Append(sound, Tone(440, 8000, 1700, 0.2));
  sound.resize(sound.size() + 900);
  Append(sound, Tone(2100, 8000, 2000, 0.05));
  sound.resize(sound.size() + 900);
  sound[1200] = std::numeric_limits<float>::quiet_NaN();
  const auto whole = Track(sound, 8000, sound.size());
  ASSERT_EQ(Ended(whole).size(), 2u);
  for (size_t piece = 1; piece < 300; ++piece) {
    const auto events = Track(sound, 8000, piece);
    ASSERT_EQ(events.size(), whole.size());
    for (size_t i = 0; i < events.size(); ++i) {
      ASSERT_EQ(events[i].start, whole[i].start);
      ASSERT_EQ(events[i].frequency, whole[i].frequency);
    }
  }
  ToneTracker tracker(8000);
  std::array<ToneEvent, 64> events;
  const long before = AllocationsOfThisThread();
  tracker.Process(sound, events);
  EXPECT_EQ(AllocationsOfThisThread(), before);
}

}  // namespace
}  // namespace trunkline::dsp
