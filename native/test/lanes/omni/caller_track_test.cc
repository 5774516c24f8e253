#include "lanes/omni/caller_track.h"

#include <gtest/gtest.h>

#include <vector>

namespace trunkline::omni {
namespace {

constexpr size_t kRate = 8000;
constexpr uint64_t kFrame = 160;

std::vector<int16_t> Frame(int16_t value, size_t count = kFrame) {
  return std::vector<int16_t>(count, value);
}

TEST(CallerTrack, PutsALineThatSendsAllTheTimeSampleBehindSample) {
  CallerTrack track(kRate);
  for (int16_t frame = 1; frame <= 10; ++frame) {
    track.Add(Frame(frame));
    track.Place(1000 + static_cast<uint64_t>(frame) * kFrame);
  }
  EXPECT_EQ(track.At(999), 0);
  for (uint64_t at = 0; at < 10 * kFrame; ++at)
    EXPECT_EQ(uint64_t(track.At(1000 + at)), 1 + at / kFrame) << at;
  EXPECT_EQ(track.At(1000 + 10 * kFrame), 0);
}

TEST(CallerTrack, LetsAFrameThatIsALittleLateFollowTheOneBefore) {
  CallerTrack track(kRate);
  track.Add(Frame(1));
  track.Place(1000 + kFrame);
  track.Add(Frame(2));
  track.Place(1000 + 2 * kFrame + 400);
  EXPECT_EQ(track.At(1000 + kFrame - 1), 1);
  EXPECT_EQ(track.At(1000 + kFrame), 2);
}

TEST(CallerTrack, IsSilentWhereALineHasPausedAndBeginsAnewAtTheClock) {
  CallerTrack track(kRate);
  track.Add(Frame(1));
  track.Place(1000 + kFrame);
  track.Add(Frame(2));
  track.Place(1000 + kRate);
  EXPECT_EQ(track.At(1000 + kFrame - 1), 1);
  EXPECT_EQ(track.At(1000 + kFrame), 0);
  EXPECT_EQ(track.At(1000 + kRate - kFrame - 1), 0);
  EXPECT_EQ(track.At(1000 + kRate - kFrame), 2);
}

TEST(CallerTrack, TakesNoMoreThanAMomentAheadOfTheClockAndForgetsWhatIsLongAgo) {
  CallerTrack track(kRate);
  track.Add(Frame(1, kRate));
  track.Place(1000);
  EXPECT_EQ(track.At(1000 + 959), 1) << "120 ms";
  EXPECT_EQ(track.At(1000 + 960), 0);
  for (uint64_t second = 1; second <= 6; ++second) {
    track.Add(Frame(2, kRate));
    track.Place(1000 + 960 + second * kRate);
  }
  EXPECT_EQ(track.At(1000), 0);
  EXPECT_EQ(track.At(1000 + 6 * kRate), 2);
}

}  // namespace
}  // namespace trunkline::omni
