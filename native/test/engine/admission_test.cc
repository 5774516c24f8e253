#include "engine/admission.h"

#include <gtest/gtest.h>

namespace trunkline::engine {
namespace {

// The costs of Omni calls with a Kokoro and a Piper voice.
constexpr uint32_t kHeavy = 400, kLight = 260;

bool GivesWay(uint32_t used, uint32_t limit, uint32_t light = kLight) {
  Admission admission;
  admission.Add(used);
  return admission.GivesWay(kHeavy, light, limit);
}

TEST(Admission, ServesThreeOfFourHeavyLanesOnTwoCores) {
  constexpr uint32_t kTwoCores = 1600;
  for (uint32_t used : {0u, 400u, 800u}) EXPECT_FALSE(GivesWay(used, kTwoCores)) << used;
  EXPECT_FALSE(GivesWay(800, kTwoCores));
  EXPECT_TRUE(GivesWay(801, kTwoCores));
  EXPECT_TRUE(GivesWay(1200, kTwoCores));
}

TEST(Admission, GivesWayWhereThereIsNoRoomForTheHeavier) {
  EXPECT_TRUE(GivesWay(0, kHeavy - 1));
  EXPECT_TRUE(GivesWay(1300, 1600));
  EXPECT_TRUE(GivesWay(2000, 1600)) << "more is used than there is";
}

TEST(Admission, NobodyGivesWayOnAMachineWhereNothingElseIs) {
  EXPECT_FALSE(GivesWay(0, kHeavy));
  EXPECT_TRUE(GivesWay(1, kHeavy + 1));
}

TEST(Admission, WhatCostsAsMuchTakesNobodysPlace) {
  EXPECT_FALSE(GivesWay(1200, 1600, kHeavy));
  EXPECT_FALSE(GivesWay(1600, 1600, kHeavy + 1));
}

TEST(Admission, CountsWhatIsThere) {
  Admission admission;
  admission.Add(kHeavy);
  admission.Add(kLight);
  EXPECT_EQ(admission.used(), 660u);
  EXPECT_TRUE(admission.HasCapacity(140, 800));
  EXPECT_FALSE(admission.HasCapacity(141, 800));
  admission.Remove(kHeavy);
  EXPECT_EQ(admission.used(), 260u);
  EXPECT_FALSE(admission.HasCapacity(UINT32_MAX, UINT32_MAX)) << "no sum runs over";
}

}  // namespace
}  // namespace trunkline::engine
