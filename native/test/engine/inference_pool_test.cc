// @requirement Fair use: Sandbox jobs wait while live keys have work.
#include "engine/inference_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <thread>

namespace trunkline::engine {
namespace {

constexpr int64_t kMilli = base::kNanosPerMilli;

// Writes its name when it runs.
struct NamedTask : Task {
  NamedTask(char task_name, std::string& task_log) : name(task_name), log(task_log) {}
  Step Run() override {
    log.push_back(name);
    if (during) during();
    return steps-- > 1 ? Step::kAgain : Step::kDone;
  }
  void Finished() override { finished = true; }
  char name;
  std::string& log;
  int steps = 1;
  std::function<void()> during;
  std::atomic<bool> finished{false};
};

class InferencePoolTest : public ::testing::Test {
 protected:
  NamedTask& AddTrial(char name, Priority priority, int steps = 1, int64_t takes = 0) {
    tasks_.push_back(std::make_unique<NamedTask>(name, log_));
    NamedTask& task = *tasks_.back();
    task.steps = steps;
    task.during = [this, takes] { clock_.Advance(takes); };
    task.WorkFor(Tenant::kTrial);
    task.Schedule(priority, 0);
    EXPECT_TRUE(pool_.Submit(task));
    return task;
  }
  NamedTask& Add(char name, Priority priority, int64_t deadline, int steps = 1) {
    tasks_.push_back(std::make_unique<NamedTask>(name, log_));
    NamedTask& task = *tasks_.back();
    task.steps = steps;
    task.Schedule(priority, deadline);
    EXPECT_TRUE(pool_.Submit(task));
    return task;
  }
  std::string RunAll() {
    while (pool_.RunOne()) {
    }
    return log_;
  }

  base::ManualClock clock_;
  std::string log_;
  std::vector<std::unique_ptr<NamedTask>> tasks_;
  InferencePool pool_{clock_, 0, 16};
};

TEST_F(InferencePoolTest, RunsByClassThenByDeadline) {
  Add('o', Priority::kOffline, 0);
  Add('q', Priority::kPartial, 20);
  Add('p', Priority::kPartial, 10);
  Add('a', Priority::kAudio, 600 * kMilli);
  Add('f', Priority::kFirstAudio, 50);
  Add('c', Priority::kTurnTaking, 90);
  EXPECT_EQ(RunAll(), "cfpqao");
  EXPECT_TRUE(tasks_[0]->finished);
}

TEST_F(InferencePoolTest, SoundThatRunsOutWhileItWaitsGoesBeforePartials) {
  Add('a', Priority::kAudio, 700 * kMilli);
  Add('b', Priority::kAudio, 1000 * kMilli);
  for (int i = 0; i < 6; ++i) {
    Add('p', Priority::kPartial, clock_.Now());
    EXPECT_TRUE(pool_.RunOne());
    clock_.Advance(100 * kMilli);
  }
  Add('f', Priority::kFirstAudio, clock_.Now() + 50 * kMilli);
  Add('p', Priority::kPartial, clock_.Now());
  EXPECT_EQ(RunAll(), "pppappfbpp") << "each as soon as it has less than half a second ahead";
}

TEST_F(InferencePoolTest, OfflineWorkYieldsBetweenItsSteps) {
  Add('o', Priority::kOffline, 0, 3);
  EXPECT_TRUE(pool_.RunOne());
  Add('c', Priority::kTurnTaking, 0);
  EXPECT_EQ(RunAll(), "ocoo");
}

TEST_F(InferencePoolTest, OfflineWorkIsNeverStarved) {
  Add('o', Priority::kOffline, 0);
  for (int i = 0; i < 30; ++i) {
    clock_.Advance(100 * kMilli);
    Add('p', Priority::kPartial, clock_.Now());
    EXPECT_TRUE(pool_.RunOne());
  }
  EXPECT_NE(log_.find('o'), std::string::npos) << "after two seconds of waiting it is its turn";
  EXPECT_EQ(log_.find('o'), 20u);
}

TEST_F(InferencePoolTest, TurnTakingPrecedesWorkThatHasWaitedLong) {
  Add('o', Priority::kOffline, 0);
  clock_.Advance(10'000 * kMilli);
  Add('c', Priority::kTurnTaking, clock_.Now());
  EXPECT_EQ(RunAll(), "co");
}

TEST_F(InferencePoolTest, TrialsWaitForWhatSomebodyWaitsForThatPays) {
  AddTrial('O', Priority::kOffline);
  AddTrial('A', Priority::kAudio);
  AddTrial('P', Priority::kPartial);
  AddTrial('F', Priority::kFirstAudio);
  AddTrial('C', Priority::kTurnTaking);
  Add('o', Priority::kOffline, 0);
  Add('a', Priority::kAudio, 1000 * kMilli);
  Add('p', Priority::kPartial, 0);
  Add('f', Priority::kFirstAudio, 0);
  Add('c', Priority::kTurnTaking, 0);
  EXPECT_EQ(RunAll(), "cfpaCFPAoO");
}

TEST_F(InferencePoolTest, TrialsHaveATenthOfTheTimeBesideLiveWorkThatNeverRests) {
  for (char name = 'A'; name < 'Q'; ++name) AddTrial(name, Priority::kOffline, 1000, 100 * kMilli);
  Add('p', Priority::kPartial, 0).steps = 1'000'000;
  tasks_.back()->during = [this] { clock_.Advance(100 * kMilli); };
  while (clock_.Now() < 60'000 * kMilli) EXPECT_TRUE(pool_.RunOne());
  const auto trials = std::count_if(log_.begin(), log_.end(), [](char name) { return name != 'p'; });
  EXPECT_GE(trials, 55);
  EXPECT_LE(trials, 60) << "of six hundred steps";
  EXPECT_EQ(log_.find_first_not_of('p'), 21u) << "each waits two seconds at least";
}

TEST_F(InferencePoolTest, ATrialsFileGetsOnBesideTrialsThatSpeakWithoutEnd) {
  for (char name = 'A'; name < 'F'; ++name) AddTrial(name, Priority::kPartial, 100'000, 50 * kMilli);
  AddTrial('O', Priority::kOffline, 100'000, 50 * kMilli);
  Add('p', Priority::kPartial, 0).steps = 1'000'000;
  tasks_.back()->during = [this] { clock_.Advance(50 * kMilli); };
  while (clock_.Now() < 600'000 * kMilli) EXPECT_TRUE(pool_.RunOne());
  const auto file = std::count(log_.begin(), log_.end(), 'O');
  EXPECT_GE(file, 100) << "of twelve hundred steps that trials have";
}

TEST_F(InferencePoolTest, ACancelledTaskDoesNotRunButIsFinished) {
  NamedTask& task = Add('x', Priority::kPartial, 0);
  task.Cancel();
  EXPECT_EQ(RunAll(), "");
  EXPECT_TRUE(task.finished);
}

TEST_F(InferencePoolTest, ATaskThatThrowsIsFaultedAndEveryoneElseGoesOn) {
  struct Throwing : NamedTask {
    using NamedTask::NamedTask;
    Step Run() override { throw std::runtime_error("of the test"); }
  } task('t', log_);
  task.Schedule(Priority::kTurnTaking, 0);
  pool_.Submit(task);
  Add('p', Priority::kPartial, 0);
  EXPECT_EQ(RunAll(), "p");
  EXPECT_TRUE(task.finished);
  EXPECT_TRUE(task.faulted());
}

TEST_F(InferencePoolTest, StopFinishesEverythingAndTakesNoMore) {
  NamedTask& waiting = Add('w', Priority::kOffline, 0, 5);
  pool_.Stop();
  EXPECT_TRUE(waiting.finished);
  EXPECT_TRUE(waiting.cancelled());
  NamedTask late('l', log_);
  EXPECT_FALSE(pool_.Submit(late));
  EXPECT_EQ(log_, "");
}

TEST_F(InferencePoolTest, CountsWhatWaitsAndWhatIsDone) {
  Add('p', Priority::kPartial, 0);
  Add('q', Priority::kPartial, 0);
  clock_.Advance(7 * kMilli);
  EXPECT_EQ(pool_.stats().waiting[2], 2u);
  RunAll();
  EXPECT_EQ(pool_.stats().waiting[2], 0u);
  EXPECT_EQ(pool_.stats().done[2], 2u);
  EXPECT_EQ(pool_.stats().wait_nanos[2], 7 * kMilli);
}

}  // namespace
}  // namespace trunkline::engine
