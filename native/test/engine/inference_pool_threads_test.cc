// Tests the pool with several threads.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "engine/inference_pool.h"

namespace trunkline::engine {
namespace {

constexpr int64_t kMilli = base::kNanosPerMilli;

// A task that holds its thread until it is told to go on.
struct BlockingTask : Task {
  Step Run() override {
    running = true;
    running.notify_all();
    go.wait(false);
    return Step::kDone;
  }
  void Finished() override {
    finished = true;
    finished.notify_all();
  }
  void Go() {
    go = true;
    go.notify_all();
  }
  std::atomic<bool> running{false}, go{false}, finished{false};
};

TEST(InferencePoolThreads, TheFirstAudioOfATrialLeavesAThreadForWhoPays) {
  base::SystemClock clock;
  InferencePool pool(clock, 2, 16);
  BlockingTask first, second, live, partial;
  for (BlockingTask* task : {&first, &second}) {
    task->WorkFor(Tenant::kTrial);
    task->Schedule(Priority::kFirstAudio, 0);
    pool.Submit(*task);
  }
  first.running.wait(false);
  for (BlockingTask* task : {&live, &partial}) {
    task->Go();
    task->Schedule(task == &live ? Priority::kFirstAudio : Priority::kPartial, 0);
    pool.Submit(*task);
    task->finished.wait(false);
  }
  EXPECT_FALSE(second.running);
  first.Go();
  second.running.wait(false);
  second.Go();
  second.finished.wait(false);
  pool.Stop();
}

TEST(InferencePoolThreads, OneOverdueTrialRunsAtATimeBesideLiveWorkThatWaits) {
  base::ManualClock clock;
  InferencePool pool(clock, 0, 16);
  BlockingTask first, second, live;
  for (BlockingTask* task : {&first, &second}) {
    task->WorkFor(Tenant::kTrial);
    task->Schedule(Priority::kOffline, 0);
    pool.Submit(*task);
  }
  live.Go();
  live.Schedule(Priority::kAudio, 0);
  pool.Submit(live);
  clock.Advance(3000 * kMilli);
  std::thread other([&] { pool.RunOne(); });
  other.join();
  EXPECT_TRUE(live.finished) << "who pays is overdue as well, and comes first";
  std::thread trial([&] { pool.RunOne(); });
  first.running.wait(false);
  BlockingTask speech;
  speech.Go();
  speech.Schedule(Priority::kPartial, 0);
  pool.Submit(speech);
  EXPECT_TRUE(pool.RunOne());
  EXPECT_TRUE(speech.finished);
  EXPECT_FALSE(second.running);
  first.Go();
  trial.join();
  second.Go();
  EXPECT_TRUE(pool.RunOne());
  pool.Stop();
}

// Two pieces of patient work, then one that is not: with two threads one of the two waits.
void ExpectOneThreadReserved(size_t threads, Priority patient, Priority urgent) {
  base::SystemClock clock;
  InferencePool pool(clock, threads, 16);
  BlockingTask first, second, live;
  for (BlockingTask* task : {&first, &second}) {
    task->Schedule(patient, 0);
    pool.Submit(*task);
  }
  first.running.wait(false);
  live.Schedule(urgent, 0);
  pool.Submit(live);
  live.running.wait(false);
  EXPECT_FALSE(second.running);
  first.Go();
  live.Go();
  second.running.wait(false);
  second.Go();
  second.finished.wait(false);
  pool.Stop();
}

TEST(InferencePoolThreads, OneThreadIsKeptForWhatCannotWait) {
  ExpectOneThreadReserved(2, Priority::kOffline, Priority::kFirstAudio);
  ExpectOneThreadReserved(2, Priority::kOffline, Priority::kPartial);
  ExpectOneThreadReserved(2, Priority::kAudio, Priority::kTurnTaking);
  ExpectOneThreadReserved(2, Priority::kPartial, Priority::kTurnTaking);
}

TEST(InferencePoolThreads, SoundThatRunsOutTakesTheKeptThreadBesideAPartial) {
  base::SystemClock clock;
  InferencePool pool(clock, 2, 16);
  BlockingTask partial, sound, more, cut;
  partial.Schedule(Priority::kPartial, 0);
  pool.Submit(partial);
  partial.running.wait(false);
  for (BlockingTask* task : {&sound, &more}) {
    task->Schedule(Priority::kAudio, clock.Now());
    pool.Submit(*task);
  }
  sound.running.wait(false);
  cut.Go();
  cut.Schedule(Priority::kTurnTaking, 0);
  pool.Submit(cut);
  partial.Go();
  cut.finished.wait(false);
  EXPECT_FALSE(more.running) << "late as it is, a cut has the other thread";
  sound.Go();
  more.running.wait(false);
  more.Go();
  more.finished.wait(false);
  pool.Stop();
}

TEST(InferencePoolThreads, OneMoreIsNeverGivenToOfflineWork) {
  ExpectOneThreadReserved(3, Priority::kOffline, Priority::kPartial);
}

TEST(InferencePoolThreads, OfflineWorkLeavesTheOtherCoreFreeDuringTurnTaking) {
  base::SystemClock clock;
  InferencePool pool(clock, 2, 16);
  BlockingTask cut, offline;
  cut.Schedule(Priority::kTurnTaking, 0);
  pool.Submit(cut);
  cut.running.wait(false);
  offline.Go();  // it does not hold its thread
  offline.Schedule(Priority::kOffline, 0);
  pool.Submit(offline);
  // The other thread is awake and takes what may run.
  std::array<BlockingTask, 8> live;
  for (BlockingTask& task : live) {
    task.Go();
    task.Schedule(Priority::kFirstAudio, 0);
    pool.Submit(task);
    task.finished.wait(false);
  }
  EXPECT_FALSE(offline.running);
  cut.Go();
  offline.finished.wait(false);
  pool.Stop();
}

TEST(InferencePoolThreads, ManyThreadsSubmitAndNothingIsLost) {
  base::SystemClock clock;
  struct Counting : Task {
    Step Run() override { return ++runs % 3 == 0 ? Step::kDone : Step::kAgain; }
    void Finished() override {
      ++finished;
      finished.notify_all();
    }
    int runs = 0;
    std::atomic<int> finished{0};
  };
  std::vector<Counting> tasks(200);
  {
    InferencePool pool(clock, 3, 256);
    std::vector<std::thread> submitters;
    for (size_t t = 0; t < 4; ++t) {
      submitters.emplace_back([&, t] {
        for (size_t i = t; i < tasks.size(); i += 4) {
          tasks[i].Schedule(static_cast<Priority>(i % kPriorities), static_cast<int64_t>(i));
          EXPECT_TRUE(pool.Submit(tasks[i]));
        }
      });
    }
    for (auto& thread : submitters) thread.join();
    for (Counting& task : tasks) task.finished.wait(0);
  }
  for (const Counting& task : tasks) {
    EXPECT_EQ(task.runs, 3);
    EXPECT_EQ(task.finished, 1);
  }
}

// A task whose second step needs work outside of the pool, which the test ends.
struct WaitingTask : Task {
  Step Run() override { return ++steps == 1 ? Step::kWaits : Step::kDone; }
  void Wait(std::function<void()> resume) override {
    resume_ = std::move(resume);
    waits = true;
    waits.notify_all();
  }
  void Finished() override {
    finished = true;
    finished.notify_all();
  }
  void Resume() { resume_(); }
  std::atomic<bool> waits{false}, finished{false};
  std::atomic<int> steps{0};
  std::function<void()> resume_;
};

TEST(InferencePoolThreads, ATaskThatWaitsOutsideHoldsNoThread) {
  base::SystemClock clock;
  InferencePool pool(clock, 1, 16);
  WaitingTask waiting;
  BlockingTask other;
  pool.Submit(waiting);
  waiting.waits.wait(false);
  pool.Submit(other);
  other.running.wait(false);
  other.Go();
  other.finished.wait(false);
  waiting.Resume();
  waiting.finished.wait(false);
  EXPECT_EQ(waiting.steps, 2);
  pool.Stop();
}

TEST(InferencePoolThreads, StopAwaitsATaskThatWaitsOutsideAndRunsNoFurtherStep) {
  base::SystemClock clock;
  InferencePool pool(clock, 1, 16);
  WaitingTask waiting;
  pool.Submit(waiting);
  waiting.waits.wait(false);
  std::thread stopper([&] { pool.Stop(); });
  waiting.Resume();
  stopper.join();
  EXPECT_TRUE(waiting.finished);
  EXPECT_LE(waiting.steps, 2);
}

}  // namespace
}  // namespace trunkline::engine
