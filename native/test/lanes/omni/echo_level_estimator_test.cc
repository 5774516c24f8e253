#include "lanes/omni/echo_level_estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <random>

namespace trunkline::omni {
namespace {

// Syllables: a level that changes every 60 to 180 ms, with pauses among them.
class Voice {
 public:
  explicit Voice(uint32_t seed) : random_(seed) {}
  float Next() {
    if (left_-- <= 0) {
      left_ = 6 + static_cast<int>(random_() % 12);
      target_ = random_() % 6 == 0 ? -60.0f : -32.0f + static_cast<float>(random_() % 16);
    }
    level_ += 0.5f * (target_ - level_);
    return level_;
  }

 private:
  std::mt19937 random_;
  int left_ = 0;
  float target_ = -60, level_ = -60;
};

TEST(EchoLevelEstimator, KnowsItsOwnVoiceAtEveryDelay) {
  for (const size_t delay : {5, 12, 25, 40}) {
    EchoLevelEstimator gauge;
    Voice agent(7);
    std::deque<float> line(delay, -127.0f);
    std::mt19937 noise(3);
    int likely = 0;
    for (int tick = 0; tick < 500; ++tick) {
      const float played = agent.Next();
      line.push_back(played);
      const float jitter = static_cast<float>(noise() % 100) / 50.0f - 1.0f;
      gauge.Tick(played, std::max(-72.0f, line.front() - 24 + jitter));
      line.pop_front();
      likely += tick >= 200 && gauge.Likely();
    }
    EXPECT_GT(likely, 120) << delay * 10 << " ms";
    EXPECT_GT(gauge.expected_dbfs(), -60.0f);
  }
}

TEST(EchoLevelEstimator, TakesACallersVoiceForNoEcho) {
  int likely = 0;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    EchoLevelEstimator gauge;
    Voice agent(seed), caller(seed + 1000);
    for (int tick = 0; tick < 500; ++tick) {
      gauge.Tick(agent.Next(), caller.Next());
      likely += gauge.Likely();
    }
  }
  EXPECT_LT(likely, 100) << "of 10,000 ticks";
}

TEST(EchoLevelEstimator, ExpectsALoudLineUntilThisOneIsKnownToBeQuiet) {
  EchoLevelEstimator gauge;
  Voice agent(9);
  for (int tick = 0; tick < 50; ++tick) gauge.Tick(agent.Next(), -90);
  EXPECT_GT(gauge.expected_dbfs(), -50.0f);
  for (int tick = 0; tick < 450; ++tick) gauge.Tick(agent.Next(), -90);
  EXPECT_FALSE(gauge.Likely());
  EXPECT_LT(gauge.expected_dbfs(), -75.0f);
}

TEST(EchoLevelEstimator, ExpectsAnEchoThatWasFound) {
  EchoLevelEstimator gauge;
  Voice agent(9);
  for (int tick = 0; tick < 800; ++tick) gauge.Tick(agent.Next(), -90);
  gauge.Tick(-10, -90);
  const float before = gauge.expected_dbfs();
  gauge.Found(-20);
  EXPECT_NEAR(gauge.expected_dbfs(), -27, 0.1);
  EXPECT_LT(before, -40);
  gauge.Found(-30);
  EXPECT_NEAR(gauge.expected_dbfs(), -27, 0.1) << "the louder one counts";
  gauge.Found(3);
  EXPECT_NEAR(gauge.expected_dbfs(), -13, 0.1) << "an echo is quieter than what makes it";
}

TEST(EchoLevelEstimator, LearnsNothingOfTheLineInTheAgentsPauses) {
  for (const size_t delay : {2, 12, 30, 42}) {
    EchoLevelEstimator gauge;
    std::deque<float> line(delay, -127.0f);
    const auto tick = [&](float played) {
      line.push_back(played);
      gauge.Tick(played, std::max(-80.0f, line.front() - 20));
      line.pop_front();
    };
    Voice agent(7);
    for (int i = 0; i < 600; ++i) tick(agent.Next());
    for (int pause = 0; pause < 10; ++pause) {
      for (int i = 0; i < 70; ++i) tick(-90);
      for (size_t i = 0; i < delay + 15; ++i) tick(-20);
      // The echo is now at -40.
      EXPECT_GT(gauge.expected_dbfs() + 9, -40.0f) << delay * 10 << " ms, pause " << pause;
    }
  }
}

TEST(EchoLevelEstimator, ExpectsNoEchoInTheAgentsPausesOnceItKnowsHowLateItComes) {
  constexpr size_t kDelay = 12;
  EchoLevelEstimator gauge;
  Voice agent(7);
  std::deque<float> line(kDelay, -127.0f);
  const auto tick = [&](float played) {
    line.push_back(played);
    gauge.Tick(played, std::max(-72.0f, line.front() - 24));
    line.pop_front();
  };
  for (int i = 0; i < 600; ++i) tick(agent.Next());
  tick(-20);
  for (size_t i = 0; i < kDelay; ++i) tick(-80);
  EXPECT_GT(gauge.expected_dbfs(), -48.0f) << "the loud moment comes back now";
  for (int i = 0; i < 20; ++i) tick(-80);
  EXPECT_LT(gauge.expected_dbfs(), -80.0f) << "and is over";
}

TEST(EchoLevelEstimator, ForgetsADelayThatWasNotSeenAgain) {
  EchoLevelEstimator gauge;
  Voice agent(7);
  std::deque<float> line(12, -127.0f);
  for (int i = 0; i < 600; ++i) {
    const float played = agent.Next();
    line.push_back(played);
    gauge.Tick(played, std::max(-72.0f, line.front() - 24));
    line.pop_front();
  }
  // A noise that hides it: nothing is learnt of the line.
  for (int i = 0; i < 1500; ++i) gauge.Tick(agent.Next(), -30);
  gauge.Tick(-20, -30);
  for (int i = 0; i < 40; ++i) gauge.Tick(-80, -30);
  EXPECT_GT(gauge.expected_dbfs(), -60.0f);
}

}  // namespace
}  // namespace trunkline::omni
