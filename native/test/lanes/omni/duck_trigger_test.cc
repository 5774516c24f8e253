#include "lanes/omni/duck_trigger.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace trunkline::omni {
namespace {

// A line by ticks of 10 ms, with a frame of the voice detector every 32 ms; notes what is done as
// "lower@120".
struct Line {
  explicit Line(const DuckOptions& options = {}) : watch(options) {}

  void Run(int64_t ms, float level, float probability, float echo = -127) {
    for (const int64_t end = now + ms; now < end; now += 10) {
      watch.Listen(now, level, echo, static_cast<uint64_t>(now / 32), probability);
      ducked_ms += watch.ducked() ? 10 : 0;
      const auto step = watch.Decide(now);
      if (step == DuckTrigger::Step::kDuck) steps.push_back("lower"), at.push_back(now);
      if (step == DuckTrigger::Step::kUnduck) steps.push_back("give back"), at.push_back(now);
    }
  }

  DuckTrigger watch;
  int64_t now = 0, ducked_ms = 0;
  std::vector<std::string> steps;
  std::vector<int64_t> at;
};

using Steps = std::vector<std::string>;

TEST(DuckTrigger, LowersTheAgentAtTheFirstSoundThatMayBeAVoice) {
  for (const float noise : {-90.0f, -60.0f, -48.0f}) {
    Line line;
    line.Run(2000, noise, 0.02f);
    line.Run(100, -30, 0.4f);
    ASSERT_EQ(line.steps, Steps{"lower"}) << noise;
    EXPECT_LE(line.at[0], 2000 + 80);
  }
}

TEST(DuckTrigger, GivesBackWhatNothingCameOf) {
  Line line;
  line.Run(1000, -70, 0.02f);
  line.Run(60, -30, 0.4f);
  line.Run(300, -70, 0.02f);
  ASSERT_EQ(line.steps, (Steps{"lower", "give back"}));
  EXPECT_LE(line.at[1] - line.at[0], 160);
}

TEST(DuckTrigger, WaitsALittleLongerForAVoiceThatIsLikely) {
  for (const float probability : {0.2f, 0.45f}) {
    Line line;
    line.Run(1000, -70, 0.02f);
    line.Run(1000, -30, probability);
    ASSERT_EQ(line.steps, (Steps{"lower", "give back"}));
    EXPECT_EQ(line.at[1] - line.at[0], probability > 0.4f ? 240 : 160);
  }
}

TEST(DuckTrigger, HearsNoRiseInWhatIsNoVoiceOrQuietOrEcho) {
  Line noise;
  noise.Run(500, -70, 0.02f);
  noise.Run(2000, -25, 0.05f);
  EXPECT_EQ(noise.steps, Steps{});
  Line quiet;
  quiet.Run(500, -90, 0.02f);
  quiet.Run(2000, -50, 0.9f);
  EXPECT_EQ(quiet.steps, Steps{});
  Line echo;
  echo.Run(500, -90, 0.02f);
  echo.Run(2000, -35, 0.9f, -33);
  EXPECT_EQ(echo.steps, Steps{});
  Line click;
  click.Run(500, -90, 0.02f);
  click.Run(30, -20, 0.9f);
  click.Run(500, -90, 0.9f);
  EXPECT_EQ(click.steps, Steps{});
}

TEST(DuckTrigger, OneSoundLowersTheAgentOnce) {
  Line line;
  line.Run(1000, -70, 0.02f);
  line.Run(10'000, -30, 0.4f);
  EXPECT_EQ(line.steps, (Steps{"lower", "give back"}));
}

TEST(DuckTrigger, NoiseThatComesAgainAndAgainDoesNotKeepTheAgentLowered) {
  std::mt19937 random(11);
  Line line;
  for (int i = 0; i < 400; ++i) {
    line.Run(40 + static_cast<int64_t>(random() % 200), -28, 0.45f);
    line.Run(80 + static_cast<int64_t>(random() % 500), -70, 0.1f);
  }
  EXPECT_LT(line.ducked_ms, line.now / 50);
  EXPECT_GT(line.ducked_ms, 0);
}

TEST(DuckTrigger, ASuspicionTakesOverWhatWasLowered) {
  Line line;
  line.Run(1000, -70, 0.02f);
  line.Run(100, -30, 0.4f);
  ASSERT_TRUE(line.watch.ducked());
  line.watch.TakenOver();
  line.Run(1000, -70, 0.02f);
  EXPECT_EQ(line.steps, Steps{"lower"}) << "the suspicion gives it back";
}

}  // namespace
}  // namespace trunkline::omni
