#include "engine/engine.h"

#include <gtest/gtest.h>

#include "engine/loopback_lane.h"
#include "test/support/drained.h"
#include "test/support/work_lane.h"

namespace trunkline::engine {
namespace {

using base::AsBytes;
using base::Code;
using test::DrainAll;

// An engine without threads, driven by hand on a clock that is turned by hand.
class EngineTest : public ::testing::Test {
 protected:
  void Make(EngineConfig config = {}) {
    config.media_threads = 0;
    config.inference_threads = 0;
    Kinds kinds;
    kinds.AddLane(MakeLoopbackKind());
    kinds.AddLane(work_);
    engine_ = std::make_unique<Engine>(config, std::move(kinds), nullptr, clock_);
    while (engine_->RunTask()) {
    }
    DrainAll(*engine_);
  }
  void SetUp() override { Make({.slots = 4}); }

  LaneId Open(std::string_view kind) {
    auto opened = engine_->Open(kind, {});
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return opened.ok() ? *opened : LaneId{};
  }
  void Tick(int count = 1) {
    for (int i = 0; i < count; ++i) {
      clock_->Advance(kTickNanos);
      engine_->Tick();
    }
  }

  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::shared_ptr<test::WorkKind> work_ = std::make_shared<test::WorkKind>();
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineTest, EchoesAFrameAtTheNextTick) {
  const LaneId lane = Open("loopback");
  EXPECT_EQ(engine_->Push(lane, AsBytes("frame")), Code::kOk);
  EXPECT_TRUE(DrainAll(*engine_).empty());
  Tick();
  const auto records = DrainAll(*engine_);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].type, kAudioEvent);
  EXPECT_EQ(records[0].id, lane);
  EXPECT_EQ(records[0].bytes, "frame");
}

#ifndef __SANITIZE_ADDRESS__  // rings are the heap's there
TEST_F(EngineTest, TellsTheMemoryOfItsRings) {
  EXPECT_EQ(engine_->stats().memory.rings, 0u);
  const LaneId first = Open("loopback");
  const size_t rings = engine_->stats().memory.rings;
  EXPECT_GT(rings, 0u);
  engine_->Close(first, true);
  Tick();
  DrainAll(*engine_);
  Open("loopback");
  EXPECT_EQ(engine_->stats().memory.rings, rings) << "the next lane takes what the first gave back";
}
#endif

TEST_F(EngineTest, ACleanCloseLosesNothing) {
  const LaneId lane = Open("loopback");
  engine_->Push(lane, AsBytes("last words"));
  EXPECT_EQ(engine_->Close(lane, true), Code::kOk);
  EXPECT_EQ(engine_->Push(lane, AsBytes("too late")), Code::kClosed);
  Tick();
  const auto records = DrainAll(*engine_);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].bytes, "last words");
  EXPECT_EQ(records[1].type, kClosedEvent);
  EXPECT_EQ(records[1].code(), Code::kOk);
  EXPECT_EQ(engine_->Push(lane, AsBytes("x")), Code::kStale);
  EXPECT_TRUE(engine_->idle());
}

TEST_F(EngineTest, ADropIsQuickAndSaysSo) {
  const LaneId lane = Open("loopback");
  engine_->Push(lane, AsBytes("never said"));
  engine_->Close(lane, false);
  Tick();
  const auto records = DrainAll(*engine_);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].code(), Code::kCancelled);
}

TEST_F(EngineTest, AStalePairIsDropped) {
  const LaneId first = Open("loopback");
  engine_->Close(first, true);
  Tick();
  DrainAll(*engine_);
  const LaneId second = Open("loopback");
  EXPECT_EQ(first.slot, second.slot);
  EXPECT_EQ(engine_->Push(first, AsBytes("x")), Code::kStale);
  EXPECT_EQ(engine_->Control(first, 1, {}), Code::kStale);
  EXPECT_EQ(engine_->Close(first, false), Code::kStale);
  EXPECT_EQ(engine_->Push({999, 1}, AsBytes("x")), Code::kStale);
  EXPECT_EQ(engine_->Push({second.slot, 0}, AsBytes("x")), Code::kStale);
  Tick();
  EXPECT_TRUE(DrainAll(*engine_).empty());
  EXPECT_EQ(engine_->stats().traffic.stale, 4u);
}

TEST_F(EngineTest, RefusesWithFullAndTakesMoreAfterATick) {
  const LaneId lane = Open("loopback");
  const std::vector<uint8_t> frame(640);
  int accepted = 0;
  while (engine_->Push(lane, frame) == Code::kOk) ++accepted;
  EXPECT_GT(accepted, 40);
  EXPECT_EQ(engine_->Push(lane, frame), Code::kFull);
  EXPECT_EQ(engine_->Control(lane, 1, {}), Code::kOk) << "a control finds room that audio leaves free";
  Tick();
  EXPECT_EQ(engine_->Push(lane, frame), Code::kOk);
  Tick();
  int returned = 0;
  for (int round = 0; round < 3; ++round, Tick()) returned += static_cast<int>(DrainAll(*engine_).size());
  EXPECT_EQ(returned, accepted + 1) << "back-pressure loses nothing";
  EXPECT_EQ(engine_->Push(lane, std::vector<uint8_t>(1 << 20)), Code::kInvalidArgument);
}

TEST_F(EngineTest, ALaneThatNobodyDrainsIsClosedWithItsCode) {
  Make({.slots = 4, .overflow_ms = 100});
  const LaneId lane = Open("loopback");
  const std::vector<uint8_t> frame(640);
  for (int tick = 0; tick < 40; ++tick) {
    while (engine_->Push(lane, frame) == Code::kOk) {
    }
    Tick();
  }
  const auto records = DrainAll(*engine_);
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.back().type, kClosedEvent);
  EXPECT_EQ(records.back().code(), Code::kOverflow);
}

TEST_F(EngineTest, RefusesBeyondItsCapacityAndItsSlots) {
  Make({.slots = 3, .capacity = 250});
  const LaneId first = Open("work");  // costs 100
  Open("work");
  EXPECT_EQ(engine_->Open("work", {}).status().code(), Code::kCapacity);
  Open("loopback");  // costs nothing, but takes the last slot
  EXPECT_EQ(engine_->Open("loopback", {}).status().code(), Code::kCapacity);
  engine_->Close(first, false);
  Tick();
  DrainAll(*engine_);
  Open("work");
}

TEST_F(EngineTest, LetsAResumedCallInBeyondItsCapacityButNotWithoutBound) {
  Make({.slots = 8, .capacity = 250});
  OptionsBuilder resumed;
  resumed.Number("resumed", 1);
  Open("work");  // costs 100
  Open("work");
  EXPECT_EQ(engine_->Open("work", {}).status().code(), Code::kCapacity);
  EXPECT_TRUE(engine_->Open("work", resumed.packed()).ok());
  EXPECT_EQ(engine_->stats().used, 300u);
  EXPECT_EQ(engine_->Open("work", resumed.packed()).status().code(), Code::kCapacity) << "400 of 375";
}

TEST_F(EngineTest, LetsInByWhatALaneOfTheseOptionsCosts) {
  Make({.slots = 4, .capacity = 250});
  Open("work");  // costs 100
  Open("work");
  OptionsBuilder light;
  light.Number("light", 1);
  EXPECT_TRUE(engine_->Open("work", light.packed()).ok());  // costs 50
  EXPECT_EQ(engine_->stats().used, 250u);
  EXPECT_EQ(engine_->Open("work", light.packed()).status().code(), Code::kCapacity);
}

TEST_F(EngineTest, CountsALaneByWhatItIsNow) {
  Make({.slots = 4, .capacity = 250});
  OptionsBuilder light;
  light.Number("light", 1);
  const LaneId first = *engine_->Open("work", light.packed());  // costs 50
  const LaneId second = *engine_->Open("work", light.packed());
  for (const LaneId lane : {first, second}) EXPECT_EQ(engine_->Control(lane, 1, {}), Code::kOk);
  EXPECT_EQ(engine_->stats().used, 200u);
  EXPECT_EQ(engine_->Control(first, 2, light.packed()), Code::kOk) << "another verb";
  EXPECT_EQ(engine_->Control(first, 1, AsBytes("garbage")), Code::kOk);
  EXPECT_EQ(engine_->stats().used, 200u);
  const LaneId third = *engine_->Open("work", light.packed());
  EXPECT_EQ(engine_->Control(third, 1, {}), Code::kOk) << "a lane that lives is never refused";
  EXPECT_EQ(engine_->stats().used, 300u) << "more than there is";
  EXPECT_EQ(engine_->Open("work", light.packed()).status().code(), Code::kCapacity);
  for (const LaneId lane : {first, third}) engine_->Control(lane, 1, light.packed());
  EXPECT_EQ(engine_->stats().used, 200u);
  EXPECT_TRUE(engine_->Open("work", light.packed()).ok());
  for (const LaneId lane : {first, second, third}) engine_->Close(lane, false);
  EXPECT_EQ(engine_->Control(first, 1, {}), Code::kClosed);
  Tick();
  DrainAll(*engine_);
  EXPECT_EQ(engine_->stats().used, 50u) << "each gave back what it was counted for at last";
}

TEST_F(EngineTest, ALaneThatMayBeLighterIsSoUnderLoad) {
  Make({.slots = 8, .capacity = 420});
  OptionsBuilder light;
  light.Number("light", 1);
  const auto gives_way = [&] { return engine_->GivesWay("work", {}, light.packed()); };
  // Each costs 100; behind the third 120 are left, behind the fourth 20.
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(gives_way()) << i;
    Open("work");
  }
  EXPECT_TRUE(gives_way()) << "there is room for one, and none would be left behind it";
  EXPECT_FALSE(engine_->GivesWay("work", {}, {})) << "as dear";
  EXPECT_FALSE(engine_->GivesWay("work", light.packed(), {})) << "dearer";
  EXPECT_FALSE(engine_->GivesWay("nothing", {}, light.packed()));
  EXPECT_FALSE(engine_->GivesWay("work", {}, AsBytes("garbage")));
  Open("work");
  EXPECT_TRUE(gives_way()) << "there is no room for it";
  engine_->Destroy();
  EXPECT_FALSE(gives_way());
}

TEST_F(EngineTest, NobodyGivesWayOnAnEmptyMachineThatHasRoom) {
  OptionsBuilder light;
  light.Number("light", 1);
  for (const auto& [capacity, expected] : {std::pair(100u, false), std::pair(99u, true)}) {
    Make({.slots = 4, .capacity = capacity});
    EXPECT_EQ(engine_->GivesWay("work", {}, light.packed()), expected) << capacity;
  }
}

TEST_F(EngineTest, WhatSettlingFindsHoldsForTheLanesThatAreOpenedAfterIt) {
  work_->steps_to_settle = 5;
  EngineConfig config;
  config.media_threads = config.inference_threads = 0;
  Kinds kinds;
  kinds.AddLane(work_);
  engine_ = std::make_unique<Engine>(config, std::move(kinds), nullptr, clock_);
  ASSERT_TRUE(engine_->RunTask());  // the preparation; settling waits
  const LaneId early = Open("work");
  EXPECT_EQ(work_->settled, 0);
  EXPECT_EQ(engine_->stats().used, 100u);
  while (engine_->RunTask()) {
  }
  EXPECT_EQ(work_->settled, 5);
  Open("work");
  EXPECT_EQ(engine_->stats().used, 150u);
  engine_->Close(early, false);
  Tick();
  DrainAll(*engine_);
  EXPECT_EQ(engine_->stats().used, 50u);
}

TEST_F(EngineTest, NamesAnUnknownKindAndRefusesMalformedOptions) {
  EXPECT_EQ(engine_->Open("nothing", {}).status().code(), Code::kNotFound);
  EXPECT_EQ(engine_->Open("loopback", AsBytes("garbage")).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(engine_->Submit("nothing", {}, {}).status().code(), Code::kNotFound);
}

TEST_F(EngineTest, ResultsOfInferenceComeBackToTheLane) {
  const LaneId lane = Open("work");
  engine_->Push(lane, AsBytes("abc"));
  Tick();
  EXPECT_TRUE(engine_->RunTask());
  engine_->Tick();
  const auto records = DrainAll(*engine_);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].bytes, "cba");
}

TEST_F(EngineTest, ALateResultNeverReachesTheSlotsNextUser) {
  const LaneId first = Open("work");
  engine_->Push(first, AsBytes("secret"));
  Tick();
  engine_->Close(first, false);
  Tick(3);
  EXPECT_TRUE(DrainAll(*engine_).empty()) << "the slot is not free while a task is in flight";
  EXPECT_EQ(engine_->stats().lanes, 1u);
  EXPECT_TRUE(engine_->RunTask());
  Tick();
  const auto records = DrainAll(*engine_);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].type, kClosedEvent);
  EXPECT_EQ(work_->cancelled, 1);
}

TEST_F(EngineTest, AFailingKindIsNotReadyAndSaysWhy) {
  work_->failure = base::Status(Code::kNotReady, "the model file work.onnx is missing");
  Make({.slots = 4});
  const auto opened = engine_->Open("work", {});
  EXPECT_EQ(opened.status().code(), Code::kNotReady);
  EXPECT_NE(opened.status().message().find("work.onnx"), std::string::npos);
  Open("loopback");
}

TEST_F(EngineTest, EveryVerbAnswersClosedAfterDestroy) {
  const LaneId lane = Open("work");
  engine_->Push(lane, AsBytes("abc"));
  Tick();
  engine_->Destroy();
  EXPECT_EQ(engine_->Push(lane, AsBytes("x")), Code::kClosed);
  EXPECT_EQ(engine_->Close(lane, true), Code::kClosed);
  EXPECT_EQ(engine_->Open("loopback", {}).status().code(), Code::kClosed);
  EXPECT_EQ(engine_->Submit("x", {}, {}).status().code(), Code::kClosed);
  EXPECT_EQ(engine_->Cancel(1), Code::kClosed);
}

}  // namespace
}  // namespace trunkline::engine
