// The engine with all its threads, under load from both sides: for ThreadSanitizer above all.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>

#include "engine/engine.h"
#include "engine/loopback_lane.h"
#include "test/support/drained.h"
#include "test/support/work_lane.h"

namespace trunkline::engine {
namespace {

using base::Code;

// Stands for Node's thread-safe function.
class Bell {
 public:
  void Ring() {
    {
      std::lock_guard lock(mutex_);
      rung_ = true;
    }
    changed_.notify_one();
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

TEST(EngineThreads, LanesComeAndGoAndNothingIsLost) {
  Bell bell;
  Kinds kinds;
  kinds.AddLane(MakeLoopbackKind());
  kinds.AddLane(std::make_shared<test::WorkKind>());
  Engine engine({.slots = 16, .capacity = 100'000, .media_threads = 2, .inference_threads = 2},
                std::move(kinds), [&] { bell.Ring(); });
  const auto preparing = [&engine] {
    const auto kinds = engine.kinds();
    return std::any_of(kinds.begin(), kinds.end(),
                       [](const auto& kind) { return kind.readiness == Readiness::kPreparing; });
  };
  while (preparing()) {
    bell.Wait();
    test::DrainAll(engine);
  }
  struct Sent {
    LaneId id;
    size_t bytes = 0;
    size_t back = 0;
    bool dropped = false;
  };
  std::vector<Sent> lanes;
  std::mt19937 random(7);
  size_t ended = 0, opened = 0;
  while (ended < 200) {
    while (lanes.size() < 12 && opened < 200) {
      auto lane = engine.Open(random() % 2 == 0 ? "loopback" : "work", {});
      ASSERT_TRUE(lane.ok()) << lane.status().ToString();
      lanes.push_back({*lane});
      ++opened;
    }
    for (Sent& lane : lanes) {
      const std::vector<uint8_t> frame(1 + random() % 600, 'x');
      if (engine.Push(lane.id, frame) == Code::kOk) lane.bytes += frame.size();
      if (random() % 8 == 0) {
        lane.dropped = random() % 2 == 0;
        engine.Close(lane.id, !lane.dropped);
      }
    }
    bell.Wait();
    for (const auto& record : test::DrainAll(engine)) {
      const auto lane =
          std::find_if(lanes.begin(), lanes.end(), [&](const Sent& one) { return one.id == record.id; });
      if (lane == lanes.end()) continue;
      if (record.type == kAudioEvent) lane->back += record.bytes.size();
      if (record.type != kClosedEvent) continue;
      if (record.code() == Code::kOk) EXPECT_EQ(lane->back, lane->bytes) << "a clean close loses nothing";
      lanes.erase(lane);
      ++ended;
    }
  }
  EXPECT_EQ(engine.stats().lanes, 0u);
}

TEST(EngineThreads, ALaneIsServedAtOnceThoughThereWasNoneBefore) {
  Bell bell;
  Kinds kinds;
  kinds.AddLane(MakeLoopbackKind());
  Engine engine({.slots = 4, .capacity = 100'000, .media_threads = 1, .inference_threads = 1},
                std::move(kinds), [&] { bell.Ring(); });
  while (engine.kinds()[0].readiness == Readiness::kPreparing) {
    bell.Wait();
    test::DrainAll(engine);
  }
  const base::SystemClock clock;
  const int64_t begun = clock.Now();
  for (int i = 0; i < 20; ++i) {
    const auto lane = engine.Open("loopback", {});
    ASSERT_TRUE(lane.ok()) << lane.status().ToString();
    engine.Close(*lane, true);
    for (bool closed = false; !closed;) {
      bell.Wait();
      const auto records = test::DrainAll(engine);
      closed = std::any_of(records.begin(), records.end(),
                           [](const auto& record) { return record.type == kClosedEvent; });
    }
  }
  // Each takes two ticks of 10 ms; the thread's sleep without lanes is a second.
  EXPECT_LT(clock.Now() - begun, 5'000'000'000);
}

TEST(EngineThreads, IsDestroyedInTheMiddleOfEverything) {
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> rings{0};
    Kinds kinds;
    kinds.AddLane(std::make_shared<test::WorkKind>());
    Engine engine({.slots = 8, .capacity = 100'000, .media_threads = 2, .inference_threads = 2},
                  std::move(kinds), [&] { ++rings; });
    while (engine.kinds()[0].readiness == Readiness::kPreparing) std::this_thread::yield();
    for (int i = 0; i < 8; ++i) {
      auto lane = engine.Open("work", {});
      for (int frame = 0; frame < 20; ++frame) engine.Push(*lane, base::AsBytes("abc"));
    }
    if (round % 2 == 0) {
      while (rings == 0) std::this_thread::yield();
    }
    engine.Destroy();
    const int after = rings;
    std::this_thread::yield();
    EXPECT_EQ(rings, after) << "no wake-up after the end";
  }
}

}  // namespace
}  // namespace trunkline::engine
