#include "lanes/omni/playout.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>

#include "test/lanes/omni/playout_listener.h"

namespace trunkline::omni {
namespace {

TEST(Playout, SendsEverySampleOnceInOrderAndPadsTheEnd) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  const auto first = Ramp(250, 1), second = Ramp(333, 1000);
  Say(playout, 1, 0, first);
  Say(playout, 1, 1, second);
  playout.FinishSpeech(1);
  for (uint64_t clock = 0; clock < kRate; clock += kTick) playout.Tick(clock, listener);
  std::vector<int16_t> expected(first);
  expected.insert(expected.end(), second.begin(), second.end());
  expected.resize((expected.size() + kFrame - 1) / kFrame * kFrame, 0);
  EXPECT_EQ(listener.samples, expected);
  EXPECT_EQ(listener.log, (std::vector<std::string>{"play 1.0 @0", "play 1.1 @250", "done 1"}));
  EXPECT_FALSE(playout.playing());
}

TEST(Playout, IsNeverMoreThanItsLeadAhead) {
  Playout playout({.rate = kRate, .lead_s = 0.06});
  PlayoutListener listener;
  Say(playout, 1, 0, Ramp(kRate, 0));
  for (uint64_t clock = 0; clock < kRate / 2; clock += kTick) {
    playout.Tick(clock, listener);
    EXPECT_LE(listener.samples.size(), clock + 0.06 * kRate + kFrame);
    EXPECT_GE(listener.samples.size(), clock);
  }
}

// Ticks come late, and some not at all: what was sent never leaves the clock by a frame, for as long as it
// runs.
TEST(Playout, KeepsToItsClockForAnHour) {
  struct Count : PlayoutSink {
    uint64_t samples = 0;
    bool Frame(std::span<const int16_t> frame) override { return samples += frame.size(), true; }
    void Playing(uint32_t, uint32_t, uint64_t) override {}
    void SpeechPlayed(uint32_t, std::span<const PlayedSegment>) override {}
  } listener;
  constexpr double kLead = 0.06;
  Playout playout({.rate = kRate, .lead_s = kLead, .capacity_s = 2});
  std::mt19937 random(11);
  const std::vector<int16_t> second(kRate, 100);
  ASSERT_TRUE(playout.BeginSegment(1, 0, false));
  for (uint64_t clock = 0; clock < 3600ull * kRate; clock += kTick * (1 + random() % 5)) {
    while (playout.free_samples() >= second.size()) playout.Append(second);
    playout.Tick(clock, listener);
    const uint64_t due = clock + static_cast<uint64_t>(kLead * kRate);
    ASSERT_GE(listener.samples, due) << "at " << clock;
    ASSERT_LT(listener.samples, due + kFrame) << "at " << clock;
  }
}

TEST(Playout, WaitsForSynthesisThatIsLateAndGoesOnWhereItWas) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  ASSERT_TRUE(playout.BeginSegment(1, 0, false));
  playout.Append(Ramp(kFrame, 0));
  for (uint64_t clock = 0; clock < 4000; clock += kTick) playout.Tick(clock, listener);
  EXPECT_EQ(listener.samples.size(), kFrame);
  playout.Append(Ramp(kFrame, kFrame));
  playout.EndSegment();
  playout.FinishSpeech(1);
  for (uint64_t clock = 4000; clock < 5000; clock += kTick) playout.Tick(clock, listener);
  EXPECT_EQ(listener.samples, Ramp(2 * kFrame, 0));
  EXPECT_EQ(listener.log.back(), "done 1");
}

TEST(Playout, HoldsASpeechUntilItIsReleasedAndForgetsADiscardedOne) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  Say(playout, 1, 0, Ramp(kFrame, 1), true);
  playout.Tick(0, listener);
  EXPECT_TRUE(listener.samples.empty());
  playout.Discard(1);
  Say(playout, 2, 0, Ramp(kFrame, 500), true);
  playout.FinishSpeech(2);
  playout.Release(2);
  for (uint64_t clock = 0; clock < 1000; clock += kTick) playout.Tick(clock, listener);
  EXPECT_EQ(listener.samples, Ramp(kFrame, 500));
  EXPECT_EQ(listener.log, (std::vector<std::string>{"play 2.0 @0", "done 2"}));
}

TEST(Playout, DiscardsASpeechThatAnotherOneFollows) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  Say(playout, 1, 0, Ramp(kFrame, 1), true);
  Say(playout, 2, 0, Ramp(kFrame, 500));
  playout.FinishSpeech(2);
  playout.Discard(1);
  for (uint64_t clock = 0; clock < 1000; clock += kTick) playout.Tick(clock, listener);
  EXPECT_EQ(listener.samples, Ramp(kFrame, 500));
  EXPECT_EQ(listener.log.back(), "done 2");
}

TEST(Playout, CountsPlayedSamplesUntilTheInterruption) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  Say(playout, 1, 0, Ramp(1000, 0));
  Say(playout, 1, 1, Ramp(4000, 0));
  uint64_t clock = 0;
  for (; clock <= 1600; clock += kTick) playout.Tick(clock, listener);
  const auto played = playout.Interrupt(1617, listener);
  ASSERT_EQ(played.size(), 2u);
  EXPECT_EQ(played[0].played, 1000u);
  EXPECT_EQ(played[1].played, 617u);
  EXPECT_EQ(played[1].total, 4000u);
  const size_t sent = listener.samples.size();
  for (; clock < 4000; clock += kTick) playout.Tick(clock, listener);
  EXPECT_EQ(listener.samples.size(), sent);
  EXPECT_EQ(listener.samples.back(), 0);
}

TEST(Playout, DucksSmoothlyAndResumesAtTheSampleWhereItDucked) {
  Playout playout({.rate = kRate, .lead_s = 0.02});
  PlayoutListener listener;
  Say(playout, 1, 0, std::vector<int16_t>(8000, 10000));
  playout.FinishSpeech(1);
  uint64_t clock = 0;
  for (; clock < 1600; clock += kTick) playout.Tick(clock, listener);
  const size_t before = listener.samples.size();
  playout.Duck();
  for (; clock < 3200; clock += kTick) playout.Tick(clock, listener);
  EXPECT_NEAR(listener.samples.back(), 316, 2);
  playout.Resume();
  for (; clock < 16000; clock += kTick) playout.Tick(clock, listener);
  // The ducked audio is sent again: 1,600 samples more than the speech has.
  const size_t ducked = listener.samples.size() - 8000;
  EXPECT_EQ(ducked % kFrame, 0u);
  EXPECT_NEAR(static_cast<double>(ducked), 1600, kFrame);
  EXPECT_EQ(listener.last.at(0).played, 8000u);
  EXPECT_GT(before, 0u);
  int largest_step = 0;
  for (size_t i = 1; i < 8000; ++i) {
    largest_step = std::max(largest_step, std::abs(listener.samples[i] - listener.samples[i - 1]));
  }
  EXPECT_LE(largest_step, 10000 / 40 + 1);
}

TEST(Playout, DuckedSamplesAreNotHeard) {
  Playout playout({.rate = kRate, .lead_s = 0.02});
  PlayoutListener listener;
  Say(playout, 1, 0, Ramp(8000, 0));
  uint64_t clock = 0;
  for (; clock < 1600; clock += kTick) playout.Tick(clock, listener);
  playout.Duck();
  const uint64_t at_duck = listener.samples.size();
  for (; clock < 4000; clock += kTick) playout.Tick(clock, listener);
  const auto played = playout.Interrupt(clock, listener);
  ASSERT_EQ(played.size(), 1u);
  EXPECT_EQ(played[0].played, at_duck);
}

// Stores the audio of a player at the other end by the time of playback; each sample holds its position.
struct Player : PlayoutSink {
  static constexpr int kFirst = 2000;
  bool Frame(std::span<const int16_t> frame) override {
    to = std::max(to, now);
    sounded.resize(to);
    sounded.insert(sounded.end(), frame.begin(), frame.end());
    to += frame.size();
    return true;
  }
  void Playing(uint32_t, uint32_t, uint64_t) override {}
  void SpeechPlayed(uint32_t, std::span<const PlayedSegment>) override {}
  // Counts the samples played until then at full level without a break, including the 5 ms of the ramp up.
  size_t Heard(uint64_t until) const {
    size_t heard = 0, up = 0;
    for (size_t at = 0; at + 1 < std::min<size_t>(sounded.size(), until); ++at) {
      const bool full = sounded[at + 1] == sounded[at] + 1 &&
                        sounded[at] >= kFirst + static_cast<int>(heard) &&
                        sounded[at] <= kFirst + static_cast<int>(heard + up);
      up = full ? 0 : std::min<size_t>(up + 1, kRate / 200);
      if (full) heard = static_cast<size_t>(sounded[at] - kFirst) + 1;
    }
    return heard;
  }
  std::vector<int16_t> sounded;
  size_t now = 0, to = 0;
};

TEST(Playout, CountsWhatTheEarCountsHoweverOftenItIsLowered) {
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    Playout playout({.rate = kRate});
    Player player;
    size_t said = 0;
    for (uint32_t segment = 0; said < 3 * kRate; ++segment) {
      const size_t length = 500 + random() % 3000;
      Say(playout, 1, segment, Ramp(length, static_cast<int16_t>(Player::kFirst + said)));
      said += length;
    }
    const uint64_t interrupted = (20 + random() % 250) * kTick, often = 3 + random() % 30;
    for (uint64_t clock = 0; clock < interrupted; clock += kTick) {
      player.now = clock;
      if (random() % often == 0) playout.ducked() ? playout.Resume() : playout.Duck();
      playout.Tick(clock, player);
    }
    size_t played = 0;
    player.now = interrupted;
    const size_t heard = player.Heard(interrupted);
    for (const PlayedSegment& segment : playout.Interrupt(interrupted, player)) played += segment.played;
    EXPECT_LE(heard, played) << seed;
    EXPECT_LE(played - heard, static_cast<size_t>(kRate / 200)) << seed << ": but for the way up";
  }
}

TEST(Playout, WaitsForTheVerdictWhenAllOfASpeechWasSentLowered) {
  Playout playout({.rate = kRate, .lead_s = 0.02});
  PlayoutListener listener;
  Say(playout, 1, 0, Ramp(1600, 1));
  playout.FinishSpeech(1);
  uint64_t clock = 0;
  for (; clock < 800; clock += kTick) playout.Tick(clock, listener);
  playout.Duck();
  for (; clock < 4000; clock += kTick) playout.Tick(clock, listener);
  EXPECT_TRUE(playout.playing());
  playout.Resume();
  for (; clock < 8000; clock += kTick) playout.Tick(clock, listener);
  EXPECT_EQ(listener.log.back(), "done 1");
  EXPECT_FALSE(playout.playing());
  EXPECT_EQ(listener.samples[listener.samples.size() - 1], 1600);
}

TEST(Playout, SpeaksTheNextSpeechWhenTheOneThatWasLoweredIsDiscarded) {
  Playout playout({.rate = kRate, .lead_s = 0.02});
  PlayoutListener listener;
  Say(playout, 1, 0, Ramp(1600, 1));
  uint64_t clock = 0;
  for (; clock < 800; clock += kTick) playout.Tick(clock, listener);
  playout.Duck();
  for (; clock < 2400; clock += kTick) playout.Tick(clock, listener);
  playout.Discard(1);
  playout.Tick(clock, listener);
  playout.Resume();
  const size_t before = listener.samples.size();
  Say(playout, 2, 0, Ramp(kFrame, 5000));
  playout.FinishSpeech(2);
  for (; clock < 8000; clock += kTick) playout.Tick(clock, listener);
  ASSERT_EQ(listener.samples.size(), before + kFrame);
  EXPECT_EQ(listener.samples.back(), 5000 + static_cast<int16_t>(kFrame) - 1);
}

TEST(Playout, AnInterruptionBeforeTheFirstSampleNamesItsSpeech) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  Say(playout, 7, 0, Ramp(1600, 1));
  playout.Tick(0, listener);
  const auto played = playout.Interrupt(0, listener);
  ASSERT_EQ(played.size(), 1u);
  EXPECT_EQ(played[0].speech, 7u);
  EXPECT_EQ(played[0].played, 0u);
}

TEST(Playout, ASpeechThatYieldsDoesNotBeginWhileTheCallerSpeaksButIsNotBrokenOff) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  ASSERT_TRUE(playout.BeginSegment(1, 0, false, true));
  playout.Append(Ramp(1600, 1));
  playout.EndSegment();
  playout.FinishSpeech(1);
  playout.CallerSpeaks(true);
  uint64_t clock = 0;
  for (; clock < 1600; clock += kTick) playout.Tick(clock, listener);
  EXPECT_TRUE(listener.samples.empty());
  playout.CallerSpeaks(false);
  for (; clock < 2400; clock += kTick) playout.Tick(clock, listener);
  playout.CallerSpeaks(true);
  for (; clock < 8000; clock += kTick) playout.Tick(clock, listener);
  EXPECT_EQ(listener.samples, Ramp(1600, 1));
}

TEST(Playout, LosesNothingWhenTheSinkIsFullForAWhile) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  Say(playout, 1, 0, Ramp(1600, 0));
  playout.FinishSpeech(1);
  std::mt19937 random(7);
  for (uint64_t clock = 0; clock < 3 * kRate; clock += kTick) {
    listener.open = random() % 3 == 0;
    playout.Tick(clock, listener);
  }
  EXPECT_EQ(listener.samples, Ramp(1600, 0));
  EXPECT_EQ(listener.log.back(), "done 1");
}

TEST(Playout, TakesMoreAudioThanItHoldsPieceByPiece) {
  Playout playout({.rate = kRate, .capacity_s = 0.5});
  PlayoutListener listener;
  const auto all = Ramp(30000, -15000);
  size_t offered = 0;
  ASSERT_TRUE(playout.BeginSegment(1, 0, false));
  for (uint64_t clock = 0; clock < 6 * kRate; clock += kTick) {
    offered += playout.Append(std::span(all).subspan(offered));
    if (offered == all.size()) playout.EndSegment(), playout.FinishSpeech(1);
    playout.Tick(clock, listener);
  }
  listener.samples.resize(all.size());
  EXPECT_EQ(listener.samples, all);
}

TEST(Playout, ReturnsTheDueAudioAndNoneAfterAnInterruption) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  const auto first = Ramp(20 * kFrame, 1), second = Ramp(10 * kFrame, 9000);
  Say(playout, 1, 0, first);
  playout.FinishSpeech(1);
  std::vector<int16_t> due(kTick);
  uint64_t clock = 0;
  for (; clock < 30 * kFrame; clock += kTick) {
    playout.Tick(clock, listener);
    playout.Due(clock, due);
    for (size_t i = 0; i < kTick; ++i) {
      ASSERT_EQ(due[i], clock + i < first.size() ? first[clock + i] : 0) << clock;
    }
  }
  // A later speech, after a pause of which nothing is left from before; then it is interrupted.
  const uint64_t began = clock;
  Say(playout, 2, 0, second);
  for (; clock < began + 4 * kFrame; clock += kTick) playout.Tick(clock, listener);
  playout.Due(began - kTick, due);
  EXPECT_EQ(due, std::vector<int16_t>(kTick, 0));
  playout.Due(clock, due);
  EXPECT_EQ(due[0], second[clock - began]);
  playout.Interrupt(clock, listener);
  playout.Due(clock, due);
  EXPECT_EQ(due, std::vector<int16_t>(kTick, 0));
  playout.Due(clock + 10 * kRate, due);
  EXPECT_EQ(due, std::vector<int16_t>(kTick, 0));
}

}  // namespace
}  // namespace trunkline::omni
