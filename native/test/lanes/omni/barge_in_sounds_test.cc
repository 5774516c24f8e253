// Which sounds belong together, and what a caller who meant it changes.
#include <gtest/gtest.h>

#include "lanes/omni/barge_in_detector.h"
#include "lanes/omni/duck_trigger.h"

namespace trunkline::omni {
namespace {

TEST(BargeInSounds, AWordThatFollowsCloselyBelongsToTheOneBefore) {
  for (const int64_t pause_ms : {200, 500}) {
    BargeInDetector detector(BargeInNormal());
    int64_t now = 0;
    const auto run = [&](int64_t ms, float level, float probability) {
      for (const int64_t end = now + ms; now < end; now += 10) {
        const auto step =
            detector.Tick(now, {level, static_cast<uint64_t>(now / 32), probability, -127, false}, true);
        ASSERT_FALSE(step.interrupt);
        if (step.needs_text) detector.Heard(detector.suspicion(), TextVerdict::kBackchannel);
      }
    };
    run(500, -70, 0.02f);
    run(180, -25, 0.95f);  // "I"
    const int64_t first_ms = detector.onset_ms();
    ASSERT_EQ(detector.suspicion(), 1u);
    run(pause_ms, -70, 0.02f);
    const int64_t second_ms = now;
    run(180, -25, 0.95f);  // "see"
    ASSERT_EQ(detector.suspicion(), 2u) << pause_ms;
    if (pause_ms < 300) {
      EXPECT_EQ(detector.onset_ms(), first_ms);
    } else {
      EXPECT_GE(detector.onset_ms(), second_ms);
    }
  }
}

TEST(BargeInSounds, ACallerWhoMeantItLowersTheAgentAtOnceAgain) {
  for (const bool meant : {true, false}) {
    DuckTrigger watch(DuckOptions{});
    int64_t now = 0;
    int ducked = 0;
    const auto run = [&](int64_t ms, float level, float probability) {
      for (const int64_t end = now + ms; now < end; now += 10) {
        watch.Listen(now, level, -127, static_cast<uint64_t>(now / 32), probability);
        ducked += watch.Decide(now) == DuckTrigger::Step::kDuck;
      }
    };
    run(1000, -70, 0.02f);
    // Noise, and the agent rests from being ducked for longer and longer.
    for (int i = 0; i < 60; ++i) run(100, -28, 0.45f), run(400, -70, 0.02f);
    if (meant) watch.WasRight();
    run(300, -70, 0.02f);
    ducked = 0;
    run(100, -28, 0.45f);
    EXPECT_EQ(ducked, meant ? 1 : 0);
    // And the rest after that is a short one again.
    run(1200, -70, 0.02f);
    ducked = 0;
    run(100, -28, 0.45f);
    EXPECT_EQ(ducked, meant ? 1 : 0);
  }
}

}  // namespace
}  // namespace trunkline::omni
