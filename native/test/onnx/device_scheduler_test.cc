// The scheduler's order, its batches, its refusals, and what happens when a run fails.
#include "onnx/device_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <semaphore>
#include <string>
#include <thread>

namespace trunkline::onnx {
namespace {

constexpr int64_t kMilli = base::kNanosPerMilli;
constexpr int64_t kLong = 60'000 * kMilli;

struct NamedWork : DeviceWork {
  explicit NamedWork(char of) : name(of) {}
  const char name;
  std::binary_semaphore done{0};
};

// It runs work in pairs, and each run waits until the test allows it.
struct PairModel : DeviceScheduler::Model {
  size_t expected() const override { return callers; }
  std::vector<DeviceWork*> Choose(std::span<DeviceWork* const> waiting) override {
    if (full) return {};
    return {waiting.begin(), waiting.begin() + static_cast<ptrdiff_t>(std::min<size_t>(2, waiting.size()))};
  }
  base::Result<DeviceScheduler::GiveResults> Run(std::span<DeviceWork* const> batch) override {
    std::string names;
    for (const DeviceWork* work : batch) names += static_cast<const NamedWork*>(work)->name;
    started.release();
    allowed.acquire();
    order += names + ' ';
    if (clock != nullptr) clock->Advance(100 * kMilli);
    if (throws) throw std::bad_alloc();
    if (fails) return base::Status(base::Code::kInference, "the device is lost");
    return DeviceScheduler::GiveResults([this, names] { given += names; });
  }
  void Failed(const base::Status&) override { failed = true; }

  std::atomic<size_t> callers{1};
  std::atomic<bool> full{false}, fails{false}, throws{false};
  bool failed = false;
  base::ManualClock* clock = nullptr;
  std::counting_semaphore<> started{0}, allowed{0};
  std::string order, given;
};

class DeviceSchedulerTest : public ::testing::Test {
 protected:
  void Submit(NamedWork& work, DeviceWork::Urgency urgency = {true, kLong}, bool opens = false) {
    scheduler_.Submit(work, urgency, opens, [&work] { work.done.release(); });
  }
  // Starts a run that goes on until the test allows it to end, so that what follows waits.
  void Occupy(NamedWork& work) {
    Submit(work);
    model_.started.acquire();
  }

  base::SystemClock clock_;
  PairModel model_;
  DeviceScheduler scheduler_{model_, clock_, {.gather_nanos = 0, .max_waiting = 4}};
};

TEST_F(DeviceSchedulerTest, LiveWorkOvertakesOfflineWorkAndTheEarlierDeadlineGoesFirst) {
  NamedWork first('0'), offline('f'), other('g'), late('l'), soon('s');
  Occupy(first);
  Submit(offline, {false, kLong});
  Submit(other, {false, kLong});
  Submit(late, {true, 2 * kLong});
  Submit(soon, {true, kLong});
  model_.allowed.release(3);
  for (NamedWork* work : {&first, &offline, &other, &late, &soon}) {
    work->done.acquire();
    EXPECT_TRUE(work->status().ok());
  }
  EXPECT_EQ(model_.order, "0 sl fg ");
  EXPECT_EQ(scheduler_.stats().batches, 3u);
  EXPECT_EQ(scheduler_.stats().works, 5u);
}

TEST_F(DeviceSchedulerTest, AFullQueueRefusesWorkThatOpensAndTakesWorkThatGoesOn) {
  NamedWork first('0'), a('a'), b('b'), c('c'), d('d'), opens('o'), goes_on('g');
  Occupy(first);
  for (NamedWork* work : {&a, &b, &c, &d}) Submit(*work, {true, kLong}, true);
  Submit(opens, {true, kLong}, true);
  opens.done.acquire();
  EXPECT_EQ(opens.status().code(), base::Code::kCapacity);
  Submit(goes_on);
  model_.allowed.release(4);
  for (NamedWork* work : {&first, &a, &b, &c, &d, &goes_on}) {
    work->done.acquire();
    EXPECT_TRUE(work->status().ok());
  }
}

TEST_F(DeviceSchedulerTest, ARunThatThrowsHasFailed) {
  NamedWork first('0');
  Occupy(first);
  model_.throws = true;
  model_.allowed.release(1);
  first.done.acquire();
  EXPECT_EQ(first.status().code(), base::Code::kInternal);
}

TEST_F(DeviceSchedulerTest, AFailedRunEndsEverythingWithItsStatus) {
  NamedWork first('0'), waits('w'), comes('c');
  Occupy(first);
  Submit(waits);
  model_.fails = true;
  model_.allowed.release(1);
  for (NamedWork* work : {&first, &waits}) {
    work->done.acquire();
    EXPECT_EQ(work->status().message(), "the device is lost");
  }
  EXPECT_TRUE(model_.failed);
  Submit(comes);
  comes.done.acquire();
  EXPECT_EQ(comes.status().code(), base::Code::kInference);
}

TEST_F(DeviceSchedulerTest, WorkWaitsForRoomUntilItIsWoken) {
  NamedWork work('w');
  model_.full = true;
  Submit(work);
  model_.full = false;
  scheduler_.Wake();
  model_.allowed.release(1);
  work.done.acquire();
  EXPECT_TRUE(work.status().ok());
}

TEST(DeviceScheduler, RefusesWorkThatWouldMissItsDeadlineByTheMeasuredTimeOfABatch) {
  base::ManualClock clock;
  PairModel model;
  model.clock = &clock;  // a run takes 100 ms
  DeviceScheduler scheduler(model, clock, {.gather_nanos = 0});
  const auto submit = [&](NamedWork& work, DeviceWork::Urgency urgency, bool opens) {
    scheduler.Submit(work, urgency, opens, [&work] { work.done.release(); });
  };
  NamedWork first('0'), second('1'), offline('f'), a('a'), b('b'), refused('r'), taken('t'), goes_on('g');
  submit(first, {}, true);
  model.allowed.release(1);
  first.done.acquire();
  model.started.acquire();
  submit(second, {}, true);
  model.started.acquire();
  submit(offline, {false, kLong}, true);
  EXPECT_EQ(scheduler.WaitNanos(), 100 * kMilli) << "live work waits for the run, not for offline work";
  submit(a, {true, kLong}, true);
  submit(b, {true, kLong}, true);
  EXPECT_EQ(scheduler.WaitNanos(), 300 * kMilli);
  submit(refused, {true, 250 * kMilli}, true);
  refused.done.acquire();
  EXPECT_EQ(refused.status().code(), base::Code::kCapacity);
  submit(taken, {true, 350 * kMilli}, true);
  submit(goes_on, {true, 0}, false);
  model.allowed.release(4);
  for (NamedWork* work : {&second, &offline, &a, &b, &taken, &goes_on}) {
    work->done.acquire();
    EXPECT_TRUE(work->status().ok()) << work->name;
  }
}

TEST(DeviceScheduler, ExpectsARunThatTakesLongerThanUsualToTakeLongerStill) {
  base::ManualClock clock;
  PairModel model;
  model.clock = &clock;  // a run takes 100 ms
  DeviceScheduler scheduler(model, clock, {.gather_nanos = 0});
  NamedWork first('0'), second('1');
  const auto run = [&](NamedWork& work) {
    scheduler.Submit(work, {}, true, [&work] { work.done.release(); });
    model.started.acquire();
  };
  run(first);
  model.allowed.release(1);
  first.done.acquire();
  EXPECT_EQ(scheduler.WaitNanos(), 0);
  run(second);
  clock.Advance(60 * kMilli);
  EXPECT_EQ(scheduler.WaitNanos(), 40 * kMilli);
  clock.Advance(440 * kMilli);
  EXPECT_EQ(scheduler.WaitNanos(), 400 * kMilli);
  model.allowed.release(1);
  second.done.acquire();
}

// The first call's work goes at once; with another call that is known to come, it waits for that.
TEST(DeviceScheduler, GathersTheWorkOfCallersThatAreKnownToCome) {
  base::ManualClock clock;  // the wait for the second never ends by itself
  PairModel model;
  model.callers = 2;
  DeviceScheduler scheduler(model, clock, {.gather_nanos = kLong});
  NamedWork a('a'), b('b');
  model.allowed.release(1);
  for (NamedWork* work : {&a, &b}) scheduler.Submit(*work, {}, true, [work] { work->done.release(); });
  a.done.acquire();
  b.done.acquire();
  EXPECT_EQ(model.order, "ab ");
}

// Its owner is a model that Share() destroys.
struct HangingModel {
  HangingModel(PairModel& model, std::atomic<int>& destroyed)
      : destroyed_(destroyed),
        scheduler_(std::make_unique<DeviceScheduler>(
            model, clock_, DeviceScheduler::Settings{.gather_nanos = 0, .max_run_nanos = 50 * kMilli})) {}
  ~HangingModel() { ++destroyed_; }

  std::atomic<int>& destroyed_;
  base::SystemClock clock_;
  std::unique_ptr<DeviceScheduler> scheduler_;
};

TEST(DeviceScheduler, ARunThatDoesNotReturnEndsItsWorkAndAllThatWaits) {
  PairModel model;
  std::atomic<int> destroyed{0};
  HangingModel* const left = new HangingModel(model, destroyed);
  auto owner = DeviceScheduler::Share(left);
  DeviceScheduler* const scheduler = left->scheduler_.get();
  NamedWork runs('r'), waits('w'), comes('c');
  scheduler->Submit(runs, {}, true, [&] { runs.done.release(); });
  model.started.acquire();
  scheduler->Submit(waits, {}, false, [&] { waits.done.release(); });
  for (NamedWork* work : {&runs, &waits}) {
    work->done.acquire();
    EXPECT_EQ(work->status().code(), base::Code::kDevice);
    EXPECT_NE(work->status().message().find("did not return within 50 ms"), std::string::npos);
  }
  EXPECT_TRUE(model.failed);
  scheduler->Submit(comes, {}, true, [&] { comes.done.release(); });
  comes.done.acquire();
  EXPECT_EQ(comes.status().code(), base::Code::kDevice);
  ASSERT_TRUE(scheduler->hangs());
  owner.reset();
  EXPECT_EQ(destroyed, 0) << "the run still uses it";
  model.allowed.release(1);
  while (scheduler->hangs()) std::this_thread::yield();
  EXPECT_EQ(model.given, "") << "its work ended before it returned";
  delete left;
  EXPECT_EQ(destroyed, 1);
}

TEST(DeviceScheduler, ARunThatReturnsInTimeIsNoHang) {
  PairModel model;
  std::atomic<int> destroyed{0};
  auto owner = DeviceScheduler::Share(new HangingModel(model, destroyed));
  NamedWork work('w');
  model.allowed.release(1);
  owner->scheduler_->Submit(work, {}, true, [&] { work.done.release(); });
  work.done.acquire();
  EXPECT_TRUE(work.status().ok());
  EXPECT_EQ(model.given, "w");
  owner.reset();
  EXPECT_EQ(destroyed, 1);
}

TEST(DeviceScheduler, EndsWhatWaitsWhenItCloses) {
  base::SystemClock clock;
  PairModel model;
  model.full = true;
  NamedWork work('w');
  {
    DeviceScheduler scheduler(model, clock, {});
    scheduler.Submit(work, {}, true, [&] { work.done.release(); });
  }
  work.done.acquire();
  EXPECT_EQ(work.status().code(), base::Code::kClosed);
}

}  // namespace
}  // namespace trunkline::onnx
