// The frame path allocates nothing after warm-up: every operator new of this program is counted.
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/loopback_lane.h"
#include "test/support/counted_new.h"
#include "test/support/work_lane.h"

namespace trunkline::engine {
namespace {

using base::Code;

class AllocationTest : public ::testing::Test {
 protected:
  AllocationTest() : buffer_(kMinDrainBytes) {
    Kinds kinds;
    kinds.AddLane(MakeLoopbackKind());
    kinds.AddLane(work_);
    engine_ = std::make_unique<Engine>(
        EngineConfig{.slots = 64, .capacity = 100'000, .media_threads = 0, .inference_threads = 0},
        std::move(kinds), nullptr, clock_);
    while (engine_->RunTask()) {
    }
    Drain();
  }

  void Open(std::string_view kind, int count) {
    for (int i = 0; i < count; ++i) lanes_.push_back(*engine_->Open(kind, {}));
  }

  void Drain() {
    engine_->ClearWake();
    drained_ += engine_->Drain(buffer_);
  }

  // 20 ms of every lane: a frame in, two ticks, inference, whatever there is to take.
  void Frame() {
    for (const LaneId& lane : lanes_) ASSERT_EQ(engine_->Push(lane, frame_), Code::kOk);
    for (int tick = 0; tick < 2; ++tick) {
      clock_->Advance(kTickNanos);
      engine_->Tick();
      while (engine_->RunTask()) {
      }
      Drain();
    }
  }

  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::shared_ptr<test::WorkKind> work_ = std::make_shared<test::WorkKind>();
  std::vector<uint8_t> buffer_;
  std::vector<uint8_t> frame_ = std::vector<uint8_t>(640);
  std::unique_ptr<Engine> engine_;
  std::vector<LaneId> lanes_;
  size_t drained_ = 0;
};

TEST_F(AllocationTest, TheCounterCounts) {
  const uint64_t before = test::all_allocations.load();
  ::operator delete(::operator new(4));  // a new-expression could be optimized away
  EXPECT_EQ(test::all_allocations.load(), before + 1);
}

TEST_F(AllocationTest, AFrameThroughALaneAllocatesNothing) {
  Open("loopback", 60);
  for (int i = 0; i < 50; ++i) Frame();
  const uint64_t before = test::all_allocations.load();
  const size_t drained = drained_;
  for (int i = 0; i < 500; ++i) Frame();
  EXPECT_EQ(test::all_allocations.load(), before);
  EXPECT_GT(drained_ - drained, 500u * 60u * 640u) << "the frames came back";
}

TEST_F(AllocationTest, AFrameThroughInferenceAllocatesNothing) {
  Open("work", 60);
  for (int i = 0; i < 50; ++i) Frame();
  const uint64_t before = test::all_allocations.load();
  const size_t drained = drained_;
  for (int i = 0; i < 200; ++i) Frame();
  EXPECT_EQ(test::all_allocations.load(), before);
  EXPECT_GT(drained_ - drained, 200u * 60u * 640u);
}

TEST_F(AllocationTest, ACarrierMessageAllocatesNothing) {
  Open("loopback", 1);
  const std::string message = R"({"event":"media","media":{"track":"inbound","chunk":"1","payload":")" +
                              std::string(216, 'A') + R"("}})";
  const uint64_t before = test::all_allocations.load();
  EXPECT_EQ(engine_->PushCarrierJson(lanes_[0], base::AsBytes(message)), Code::kOk);
  EXPECT_EQ(test::all_allocations.load(), before);
}

}  // namespace
}  // namespace trunkline::engine
