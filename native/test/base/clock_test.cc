#include "base/clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace trunkline::base {
namespace {

TEST(ManualClock, WaitsUntilItIsTurned) {
  ManualClock clock(100);
  std::atomic<bool> done{false};
  std::thread waiter([&] {
    clock.WaitUntil(200);
    done = true;
  });
  clock.Advance(50);
  EXPECT_FALSE(done);
  clock.Advance(50);
  waiter.join();
  EXPECT_TRUE(done);
  EXPECT_EQ(clock.Now(), 200);
}

TEST(ManualClock, WakeEndsAWaitOrTheNextOne) {
  ManualClock clock;
  clock.Wake();
  clock.WaitUntil(1'000'000);
  EXPECT_EQ(clock.Now(), 0);
}

TEST(SystemClock, ReturnsAtOnceForThePastAndWhenWoken) {
  SystemClock clock;
  const int64_t start = clock.Now();
  clock.WaitUntil(start - 1);
  clock.Wake();
  clock.WaitUntil(start + 3'600'000 * kNanosPerMilli);
  EXPECT_GE(clock.Now(), start);
}

TEST(SystemClock, ReachesADeadline) {
  SystemClock clock;
  const int64_t deadline = clock.Now() + 2 * kNanosPerMilli;
  clock.WaitUntil(deadline);
  EXPECT_GE(clock.Now(), deadline);
}

}  // namespace
}  // namespace trunkline::base
