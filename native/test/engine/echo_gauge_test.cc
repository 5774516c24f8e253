#include "engine/echo_gauge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <random>

namespace trunkline::engine {
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

TEST(EchoGauge, KnowsItsOwnVoiceAtEveryDelay) {
  for (const size_t delay : {5, 12, 25, 40}) {
    EchoGauge gauge;
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

TEST(EchoGauge, TakesACallersVoiceForNoEcho) {
  int likely = 0;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    EchoGauge gauge;
    Voice agent(seed), caller(seed + 1000);
    for (int tick = 0; tick < 500; ++tick) {
      gauge.Tick(agent.Next(), caller.Next());
      likely += gauge.Likely();
    }
  }
  EXPECT_LT(likely, 100) << "of 10,000 ticks";
}

TEST(EchoGauge, ExpectsALoudLineUntilThisOneIsKnownToBeQuiet) {
  EchoGauge gauge;
  Voice agent(9);
  for (int tick = 0; tick < 50; ++tick) gauge.Tick(agent.Next(), -90);
  EXPECT_GT(gauge.expected_dbfs(), -50.0f);
  for (int tick = 0; tick < 450; ++tick) gauge.Tick(agent.Next(), -90);
  EXPECT_FALSE(gauge.Likely());
  EXPECT_LT(gauge.expected_dbfs(), -75.0f);
}

}  // namespace
}  // namespace trunkline::engine
