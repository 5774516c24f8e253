#include "dsp/clock_follower.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trunkline::dsp {
namespace {

constexpr size_t kBlock = 80;

float Wave(double at) {
  return static_cast<float>(0.5 * std::sin(0.7 * at) + 0.3 * std::sin(1.9 * at));
}

// How many samples it took for so many blocks, and how far what it gave is from the wave at the other clock's moments.
struct Followed {
  size_t taken = 0;
  double apart = 0;
};
Followed Follow(double rate, int blocks) {
  ClockFollower follower(kBlock);
  follower.Lean(rate);
  Followed followed;
  std::vector<float> in, out(kBlock);
  for (int block = 0; block < blocks; ++block) {
    in.resize(follower.wanted());
    for (float& sample : in) sample = Wave(static_cast<double>(followed.taken++));
    follower.Take(in, out);
    const double began = block * static_cast<double>(kBlock) * (1 + rate) - ClockFollower::kLookAhead;
    for (size_t i = 0; block > 1 && i < kBlock; ++i)
      followed.apart =
          std::max<double>(followed.apart, std::abs(out[i] - Wave(began + static_cast<double>(i))));
  }
  return followed;
}

TEST(ClockFollower, GivesOutWhatItTookWhereTheClocksAreOne) {
  const Followed followed = Follow(0, 1000);
  EXPECT_EQ(followed.taken, 1000 * kBlock);
  EXPECT_EQ(followed.apart, 0);
}

TEST(ClockFollower, TakesAsManyMoreOrFewerAsTheOtherClockIsSlowerOrFaster) {
  for (const double rate : {1e-4, -1e-4, 2e-5}) {
    const Followed followed = Follow(rate, 10'000);
    const double drift = static_cast<double>(followed.taken) - 10'000.0 * kBlock;
    EXPECT_NEAR(drift, 10'000.0 * kBlock * rate, 1) << rate;
    EXPECT_LT(followed.apart, 0.03) << rate;
  }
}

TEST(ClockFollower, BelievesInNoClockThatIsFurtherBesideThanAny) {
  ClockFollower follower(kBlock);
  follower.Lean(1);
  EXPECT_EQ(follower.rate(), ClockFollower::kMax);
  follower.Lean(-1);
  EXPECT_EQ(follower.rate(), -ClockFollower::kMax);
}

}  // namespace
}  // namespace trunkline::dsp
