#include "lanes/omni/echo_cancelled_input.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

namespace trunkline::omni {
namespace {

constexpr int kRate = 8000;
constexpr size_t kTick = kRate / 100, kFrame = 2 * kTick;

struct Wire : PlayoutSink {
  std::vector<int16_t> sounded;  // indexed by the player's clock
  size_t now = 0, to = 0;
  bool Frame(std::span<const int16_t> frame) override {
    to = std::max(to, now);
    sounded.resize(std::max(sounded.size(), to + frame.size()));
    std::copy(frame.begin(), frame.end(), sounded.begin() + static_cast<ptrdiff_t>(to));
    to += frame.size();
    return true;
  }
  void Playing(uint32_t, uint32_t, uint64_t) override {}
  void SpeechPlayed(uint32_t, std::span<const PlayedSegment>) override {}
};

// An agent that speaks on and on, and a caller whose loudspeaker is heard by their microphone.
struct Call {
  void Run(double seconds, size_t frame_ms = 20, size_t late_ms = 0) {
    const size_t frame = frame_ms * kRate / 1000;
    for (const uint64_t end = clock + static_cast<uint64_t>(seconds * kRate); clock < end; clock += kTick) {
      if (playout.queued_s() < 1) Speak();
      wire.now = clock;
      // A late frame comes with the one after it.
      const bool holds = late_ms > 0 && random() % 10 == 0;
      while (!holds && Moment(recorded + frame) <= static_cast<double>(clock)) Take(frame);
      input.Tick(playout.sounding_dbfs(clock));
      while (input.Step(1e9) && input.behind()) {
      }
      playout.Tick(clock, wire);
    }
  }
  // The client's microphone is closed, and what would have been recorded is not.
  void Pause(double seconds) {
    const size_t before = recorded;
    recorded = std::numeric_limits<size_t>::max() / 2;
    Run(seconds);
    recorded = before;
    while (recorded + kFrame <= clock) recorded += kFrame;
  }
  void Speak() {
    std::normal_distribution<float> noise(0, 1);
    std::vector<int16_t> said(kRate);
    float held = 0;
    for (size_t i = 0; i < said.size(); ++i) {
      held = 0.7f * held + noise(random);
      const float syllable = 0.5f + 0.5f * std::sin(static_cast<float>(i) / 250.0f);
      said[i] = static_cast<int16_t>(2500 * syllable * held);
    }
    playout.BeginSegment(1, segment++, false);
    playout.Append(said);
    playout.EndSegment();
  }
  // When the client records a sample, by the server's clock, and what of the agent is heard then.
  double Moment(size_t sample) const { return static_cast<double>(sample) * (1 + millionths / 1e6); }
  float Heard(double moment) const {
    if (millionths == 0) return At(static_cast<int64_t>(moment));
    const auto before = static_cast<int64_t>(std::floor(moment));
    double sum = 0;
    for (int64_t one = before - 15; one <= before + 16; ++one) {
      const double x = std::numbers::pi * (moment - static_cast<double>(one));
      sum += At(one) * (std::abs(x) < 1e-9 ? 1 : std::sin(x) / x) * (0.5 + 0.5 * std::cos(x / 17));
    }
    return static_cast<float>(sum);
  }
  float At(int64_t sample) const {
    const bool heard = sample >= 0 && static_cast<size_t>(sample) < wire.sounded.size();
    return heard ? wire.sounded[static_cast<size_t>(sample)] : 0.0f;
  }
  void Take(size_t frame) {
    std::vector<int16_t> pcm(frame);
    std::normal_distribution<float> noise(0, 1);
    for (size_t i = 0; i < frame; ++i, ++recorded) {
      const float heard = Heard(Moment(recorded) - static_cast<double>(delay));
      pcm[i] = echoes ? static_cast<int16_t>(heard * gain) : int16_t{0};
      if (speaks) pcm[i] = static_cast<int16_t>(pcm[i] + 2000 * noise(random));
    }
    taken += input.Take(pcm, clock, playout).size();
  }

  Playout playout{PlayoutOptions{.rate = kRate}};
  EchoCancelledInput input{kRate};
  Wire wire;
  std::mt19937 random{3};
  uint64_t clock = 0;
  bool echoes = true, speaks = false;
  float gain = 0.1f;
  double millionths = 0;  // the client's clock error
  int64_t delay = 960;
  size_t recorded = 0, taken = 0;
  uint32_t segment = 0;
};

TEST(EchoCancelledInput, TakesOutTheEchoOfALineWhoseFramesComeInTimeOrNot) {
  for (const auto& [frame_ms, late_ms] : {std::pair{20, 0}, {20, 40}, {10, 0}, {60, 0}, {200, 0}}) {
    Call call;
    call.Run(5, static_cast<size_t>(frame_ms), static_cast<size_t>(late_ms));
    EXPECT_LT(call.input.level_dbfs(), -52) << frame_ms << " ms, late " << late_ms;
    EXPECT_EQ(call.taken, call.recorded);
  }
}

TEST(EchoCancelledInput, FollowsAClientWhoseClockRunsBesideTheServers) {
  for (const double millionths : {-100, -50, -20, 20, 50, 100}) {
    Call call;
    call.millionths = millionths;
    call.Run(20);
    double worst = -127;
    for (int tenth = 0; tenth < 50; ++tenth) {
      call.Run(0.1);
      worst = std::max<double>(worst, call.input.level_dbfs());
    }
    EXPECT_LT(worst, -50) << millionths;
  }
}

TEST(EchoCancelledInput, HoldsALineThatHasPausedAgainstWhatSoundsThen) {
  for (const double pause_s : {0.0, 0.5, 2.0, 7.0}) {
    Call call;
    call.Pause(pause_s);
    call.Run(5);
    EXPECT_LT(call.input.level_dbfs(), -52) << "begun after " << pause_s << " s";
    call.Pause(pause_s);
    call.Run(1);
    EXPECT_LT(call.input.level_dbfs(), -52) << "gone on after " << pause_s << " s";
  }
}

TEST(EchoCancelledInput, LearnsAnEchoAnewThatHasChanged) {
  for (const int64_t delay : {400, 1600}) {
    Call call;
    call.Run(8);
    ASSERT_LT(call.input.level_dbfs(), -52);
    call.delay = delay;  // the caller has moved, or put the telephone down
    call.gain = 0.25f;
    call.Run(4.5);
    EXPECT_LT(call.input.level_dbfs(), -50) << delay << " samples";
  }
}

TEST(EchoCancelledInput, TellsAnEchoThatAppearsInMidCallByItsSamples) {
  for (const bool echoes : {true, false}) {
    Call call;
    call.echoes = false;
    call.Run(6);
    EXPECT_LT(call.input.echo_dbfs(), -60) << "a quiet line";
    call.echoes = echoes;
    call.speaks = !echoes;
    call.Run(0.36);
    call.input.Compare(call.playout);
    EXPECT_FALSE(call.input.echo()) << "once may be chance";
    call.Run(0.04);
    call.input.Compare(call.playout);
    EXPECT_EQ(call.input.echo(), echoes);
    EXPECT_EQ(call.input.echo_dbfs() > -50, echoes) << "it is expected from now on";
    call.input.ForgetCompared();
    call.Run(1.5);
    if (echoes) EXPECT_LT(call.input.level_dbfs(), -45) << "and is learnt";
  }
}

TEST(EchoCancelledInput, LosesNothingOfFramesOfAnyLength) {
  EchoCancelledInput input(kRate);
  Playout playout({.rate = kRate});
  std::mt19937 random(5);
  std::vector<int16_t> sent, taken;
  for (uint64_t clock = 0; clock < 10 * kRate; clock = sent.size()) {
    std::vector<int16_t> frame(1 + random() % 700);
    for (int16_t& sample : frame) sample = static_cast<int16_t>(random());
    sent.insert(sent.end(), frame.begin(), frame.end());
    const auto clean = input.Take(frame, clock, playout);
    taken.insert(taken.end(), clean.begin(), clean.end());
  }
  EXPECT_LT(sent.size() - taken.size(), kTick);
  sent.resize(taken.size());
  EXPECT_EQ(taken, sent);
}

// An input by itself: it advances by the audio of each tick.
struct Alone {
  void Tick(size_t frames = 0, int16_t loudness = 5000) {
    clock += kTick;
    for (; frames > 0; --frames) input.Take(std::vector<int16_t>(2 * kTick, loudness), clock, playout);
    input.Tick(-127);
    steps = 0;
    while (input.Step(1e9)) {
      ++steps;
      if (!input.behind()) break;
    }
  }
  EchoCancelledInput input{kRate};
  Playout playout{PlayoutOptions{.rate = kRate}};
  uint64_t clock = 0;
  int steps = 0;
};

TEST(EchoCancelledInput, IsSilentWhenNothingComes) {
  Alone alone;
  alone.Tick(1);
  for (int tick = 0; tick < 5; ++tick) alone.Tick();
  EXPECT_GT(alone.input.level_dbfs(), -20);
  for (int tick = 0; tick < 5; ++tick) alone.Tick();
  EXPECT_EQ(alone.input.level_dbfs(), dsp::kSilenceDbfs);
}

TEST(EchoCancelledInput, MovesOnBySilenceBeforeTheFirstFrame) {
  Alone alone;
  for (int tick = 1; tick <= 20; ++tick) {
    alone.Tick();
    EXPECT_EQ(alone.input.now_ms(), tick * 10);
  }
  EXPECT_EQ(alone.input.late_ticks(), 0);
}

TEST(EchoCancelledInput, MovesOnByWhatCameAndStandsStillUntilMoreDoes) {
  for (const size_t frames : {1, 2, 5, 10, 25, 50}) {
    Alone alone;
    const size_t every = 2 * frames;
    for (size_t tick = 0; tick < 6 * every; ++tick) {
      alone.Tick(tick % every == 0 ? frames : 0);
      if (tick % every == 0) EXPECT_EQ(alone.steps, static_cast<int>(every - 1));
      if (tick % every == 1) EXPECT_EQ(alone.steps, 1) << "the rest of the newest";
      if (tick % every > 1) EXPECT_EQ(alone.steps, 0);
      EXPECT_GT(alone.input.level_dbfs(), -20) << frames << " at once, tick " << tick;
      EXPECT_LE(alone.input.late_ticks(), 0);
    }
    EXPECT_EQ(alone.input.now_ms(), static_cast<int64_t>(60 * every));
    EXPECT_NEAR(alone.input.reached_s(), 0.06 * static_cast<double>(every), 1e-9);
  }
}

TEST(EchoCancelledInput, IsPatientWithANetworkThatHeldFramesUpButNotForLong) {
  Alone alone;
  for (int tick = 0; tick < 400; ++tick) alone.Tick(tick % 2 == 0);
  for (int tick = 0; tick < 30; ++tick) alone.Tick();
  EXPECT_EQ(alone.input.level_dbfs(), dsp::kSilenceDbfs);
  alone.Tick(15);
  EXPECT_GT(alone.input.level_dbfs(), -20);
  for (int tick = 0; tick < 30; ++tick) alone.Tick();
  EXPECT_GT(alone.input.level_dbfs(), -20) << "it may be held up again";
  alone.Tick(15);
  for (int tick = 0; tick < 400; ++tick) alone.Tick(tick % 2 == 0);
  for (int tick = 0; tick < 10; ++tick) alone.Tick();
  EXPECT_EQ(alone.input.level_dbfs(), dsp::kSilenceDbfs) << "that was long ago";
}

TEST(EchoCancelledInput, GoesNoFurtherThanTheVoiceDetectorHasHeard) {
  Alone alone;
  alone.input.Take(std::vector<int16_t>(20 * kTick, 5000), 0, alone.playout);
  alone.input.Tick(-127);
  while (alone.input.Step(0.1)) {
  }
  EXPECT_NEAR(alone.input.reached_s(), 0.1, 1e-9);
  EXPECT_TRUE(alone.input.behind());
  while (alone.input.Step(0.2)) {
  }
  EXPECT_NEAR(alone.input.reached_s(), 0.2, 1e-9);
  EXPECT_EQ(alone.input.now_ms(), 200);
}

TEST(EchoCancelledInput, LeavesOutTheOldestOfMoreThanItHasRoomFor) {
  Alone alone;
  alone.Tick(700);
  EXPECT_GT(alone.input.now_ms(), 10'000);
  EXPECT_LT(alone.input.now_ms(), 10'300);
  EXPECT_NEAR(alone.input.reached_s(), 14, 1e-9);
}

}  // namespace
}  // namespace trunkline::omni
