#include <gtest/gtest.h>

#include <string>

#include "lanes/omni/playout.h"
#include "test/lanes/omni/playout_listener.h"

namespace trunkline::omni {
namespace {

// A client that buffers 800 ms is in the middle of a speech of three seconds, of which 1.5 were sent.
TEST(Playout, CountsWhatALateClientHasPlayed) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  constexpr uint64_t kLag = kRate * 8 / 10;
  Say(playout, 1, 0, Ramp(kRate, 0));
  Say(playout, 1, 1, Ramp(2 * kRate, 0));
  playout.FinishSpeech(1);
  uint64_t clock = 0;
  for (; clock < kRate * 9 / 10; clock += kTick) playout.Tick(clock, listener);
  // The echo of the first mark: what had counted as played before counts no more.
  playout.SetLag(kLag, clock);
  for (; clock < kRate * 3 / 2; clock += kTick) playout.Tick(clock, listener);
  const auto played = playout.Interrupt(clock, listener);
  ASSERT_EQ(played.size(), 2u);
  EXPECT_EQ(played[0].played, clock - kLag);
  EXPECT_EQ(played[1].played, 0u);
}

TEST(Playout, ASpeechThatALateClientStillPlaysIsNotOver) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  constexpr uint64_t kLag = kRate * 8 / 10;
  playout.SetLag(kLag, 0);
  Say(playout, 1, 0, Ramp(kRate, 0));
  playout.FinishSpeech(1);
  for (uint64_t clock = 0; clock < kRate + kLag; clock += kTick) {
    playout.Tick(clock, listener);
    EXPECT_TRUE(playout.playing());
  }
  EXPECT_EQ(listener.log, (std::vector<std::string>{"play 1.0 @" + std::to_string(kLag)}));
  playout.Tick(kRate + kLag, listener);
  EXPECT_EQ(listener.log.back(), "done 1");
  EXPECT_EQ(listener.last[0].played, kRate);
}

// The recording has no audio that an interruption left unplayed, and played audio is where it was heard.
TEST(Playout, SoundIsDueWhenALateClientPlaysIt) {
  Playout playout({.rate = kRate});
  PlayoutListener listener;
  constexpr uint64_t kLag = kRate / 2;
  playout.SetLag(kLag, 0);
  Say(playout, 1, 0, Ramp(kRate, 1));
  uint64_t clock = 0;
  for (; clock < kRate * 3 / 4; clock += kTick) playout.Tick(clock, listener);
  playout.Interrupt(clock, listener);
  std::vector<int16_t> due(kRate);
  playout.Due(0, due);
  EXPECT_EQ(due[kLag - 1], 0);
  EXPECT_EQ(due[kLag], 1);
  EXPECT_EQ(due[clock - 1], static_cast<int16_t>(clock - kLag));
  EXPECT_EQ(due[clock], 0);
}

}  // namespace
}  // namespace trunkline::omni
