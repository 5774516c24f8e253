#include "dsp/delayed_copy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace trunkline::dsp {
namespace {

constexpr size_t kHeard = 1920, kLatest = 3600;

// Harmonics of a pitch that wanders, louder and quieter, and a little breath.
std::vector<int16_t> Voice(uint32_t seed, size_t count, double pitch) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 1);
  std::vector<int16_t> samples(count);
  double phase = 0, held = 0;
  for (size_t i = 0; i < count; ++i) {
    held = 0.999 * held + 0.001 * noise(random) * 30;
    phase += 2 * std::numbers::pi * pitch * (1 + 0.1 * held) / 8000;
    double sum = 0.1 * noise(random);
    for (int k = 1; k <= 12; ++k) sum += std::sin(k * phase + seed % 7 * k) / k;
    samples[i] = static_cast<int16_t>(3000 * sum * (0.6 + 0.4 * std::sin(static_cast<double>(i) / 500)));
  }
  return samples;
}

TEST(DelayedCopy, FindsACopyAtEveryDelayThroughNoise) {
  DelayedCopy copy(kHeard, kLatest);
  const auto played = Voice(1, kHeard + kLatest, 180);
  std::mt19937 random(5);
  for (const size_t delay : {0u, 1u, 400u, 960u, 3599u, 3600u}) {
    std::vector<int16_t> heard(kHeard);
    for (size_t i = 0; i < kHeard; ++i) {
      heard[i] =
          static_cast<int16_t>(played[kLatest - delay + i] / 10 + static_cast<int>(random() % 41) - 20);
    }
    const auto found = copy.Find(heard, played);
    EXPECT_EQ(found.delay, delay);
    EXPECT_GT(found.share, 0.7f);
  }
}

TEST(DelayedCopy, TakesAnotherVoiceForNoCopy) {
  DelayedCopy copy(kHeard, kLatest);
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    const auto played = Voice(seed, kHeard + kLatest, 120 + 5 * seed);
    const auto heard = Voice(seed + 100, kHeard, 125 + 5 * seed);
    EXPECT_LT(copy.Find(heard, played).share, 0.45f) << seed;
  }
}

TEST(DelayedCopy, FindsNothingInSilence) {
  DelayedCopy copy(kHeard, kLatest);
  const std::vector<int16_t> silence(kHeard + kLatest, 0);
  const auto voice = Voice(3, kHeard + kLatest, 150);
  EXPECT_EQ(copy.Find(std::span(silence).first(kHeard), voice).share, 0);
  EXPECT_EQ(copy.Find(std::span(voice).first(kHeard), silence).share, 0);
}

}  // namespace
}  // namespace trunkline::dsp
