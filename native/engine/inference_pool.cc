#include "engine/inference_pool.h"

#include <algorithm>

#include "engine/thread_rank.h"

namespace trunkline::engine {
namespace {

constexpr int64_t kMilli = base::kNanosPerMilli;

// Queues in the order in which they are served: live work of paying tenants, live work of trials, offline
// work.
enum Line : size_t {
  kTurnTaking,
  kFirstAudios,
  kPartials,
  kAudios,
  kTrialTurnTaking,
  kTrialFirstAudios,
  kTrialPartials,
  kTrialAudios,
  kFiles,
  kTrialFiles,
};
constexpr std::array<std::array<Line, 2>, kPriorities> kLineOf = {{{kTurnTaking, kTrialTurnTaking},
                                                                   {kFirstAudios, kTrialFirstAudios},
                                                                   {kPartials, kTrialPartials},
                                                                   {kAudios, kTrialAudios},
                                                                   {kFiles, kTrialFiles}}};

// A line whose oldest task has waited this long is served out of turn.
constexpr std::array<int64_t, 2 * kPriorities> kMaxQueueWait = {0,
                                                                500 * kMilli,
                                                                500 * kMilli,
                                                                1000 * kMilli,
                                                                100 * kMilli,
                                                                500 * kMilli,
                                                                500 * kMilli,
                                                                1000 * kMilli,
                                                                2000 * kMilli,
                                                                2000 * kMilli};
// Further audio that would run out within this time precedes partials.
constexpr int64_t kRunsOut = 500 * kMilli;
// An overdue trial pauses this many times its own duration before its next step.
constexpr int64_t kTrialsRest = 9;

bool OfTrial(size_t line) {
  return (line >= kTrialTurnTaking && line <= kTrialAudios) || line == kTrialFiles;
}
// A trial's line starts no step while a paying tenant waits, unless a thread is free.
bool Yields(size_t line) {
  return line >= kTrialTurnTaking;
}
// An urgent line may not wait for a step of other work to end.
bool Urgent(size_t line) {
  return line <= kFirstAudios;
}

bool Later(const Task* a, const Task* b) {
  return a->deadline() > b->deadline();
}

size_t Class(const Task* task) {
  return std::min(static_cast<size_t>(task->priority()), kPriorities - 1);
}

size_t LineOf(const Task* task) {
  return kLineOf[Class(task)][task->tenant() == Tenant::kTrial ? 1 : 0];
}

}  // namespace

InferencePool::InferencePool(const base::Clock& clock, size_t threads, size_t expected)
    : clock_(clock), thread_count_(threads) {
  for (Heap& heap : heaps_) heap.reserve(expected);
  running_.reserve(threads + 1);
  for (size_t i = 0; i < threads; ++i) workers_.emplace_back([this] { Work(); });
}

InferencePool::~InferencePool() {
  Stop();
}

bool InferencePool::Submit(Task& task) {
  // Stop() waits for submissions in progress, so that a task is either refused or seen.
  submitting_.fetch_add(1);
  const bool accepted = accepting_.load() != 0;
  if (accepted) {
    task.queued_at_ = clock_.Now();
    waiting_[Class(&task)].fetch_add(1, std::memory_order_relaxed);
    inbox_.Push(&task);
  }
  submitting_.fetch_sub(1);
  if (!accepted) return false;
  signal_.fetch_add(1, std::memory_order_release);
  signal_.notify_one();
  return true;
}

void InferencePool::Stop() {
  accepting_.store(0);
  while (submitting_.load() != 0) std::this_thread::yield();
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    Gather();
    for (Task* task : running_) task->Cancel();
    for (Heap& heap : heaps_) {
      for (Task* task : heap) task->Cancel();
    }
  }
  signal_.fetch_add(1, std::memory_order_release);
  signal_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  while (RunOne() || AwaitResumed()) {
  }
}

void InferencePool::Work() {
  RankThisThread(ThreadRank::kInference);
  for (;;) {
    const uint32_t seen = signal_.load(std::memory_order_acquire);
    if (RunOne()) continue;
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    signal_.wait(seen, std::memory_order_acquire);
  }
}

bool InferencePool::RunOne() {
  Picked picked;
  {
    std::lock_guard lock(mutex_);
    Gather();
    picked = Pick();
    if (picked.task == nullptr) return false;
    if (stopping_) picked.task->Cancel();
    running_.push_back(picked.task);
    Began(picked.as);
  }
  Task* task = picked.task;
  const Task::Step step = task->cancelled() ? Task::Step::kDone : RunStep(*task);
  {
    std::lock_guard lock(mutex_);
    std::erase(running_, task);
    Ended(picked.as);
  }
  Complete(task, step);
  if (!picked.as.urgent || picked.as.follows) {
    // Another worker may have gone to sleep because deferrable work had its share.
    signal_.fetch_add(1, std::memory_order_release);
    signal_.notify_one();
  }
  return true;
}

void InferencePool::Began(const Running& as) {
  (as.urgent ? counted_.urgent : counted_.patient) += 1;
  counted_.yielding += as.yields;
  counted_.following += as.follows;
  overdue_trial_.runs = overdue_trial_.runs || as.overdue_trial_since >= 0;
}

void InferencePool::Ended(const Running& as) {
  (as.urgent ? counted_.urgent : counted_.patient) -= 1;
  counted_.yielding -= as.yields;
  counted_.following -= as.follows;
  if (as.overdue_trial_since < 0) return;
  overdue_trial_.runs = false;
  const int64_t now = clock_.Now();
  overdue_trial_.rest_until =
      std::max(overdue_trial_.rest_until, now + kTrialsRest * (now - as.overdue_trial_since));
}

Task::Step InferencePool::RunStep(Task& task) {
  try {
    return task.Run();
  } catch (...) {
    task.faulted_ = true;
    return Task::Step::kDone;
  }
}

void InferencePool::Complete(Task* task, Task::Step step) {
  done_[Class(task)].fetch_add(1, std::memory_order_relaxed);
  if (step == Task::Step::kAgain && Submit(*task)) return;
  if (step == Task::Step::kAgain) task->Cancel();  // the pool is stopping
  if (step == Task::Step::kWaits) {
    WaitOutside(*task);
    return;
  }
  if (step == Task::Step::kParked) {
    task->Parked();
    return;
  }
  task->Finished();
}

void InferencePool::WaitOutside(Task& task) {
  {
    const std::lock_guard lock(outside_mutex_);
    ++outside_;
  }
  task.Wait([this, &task] { Resume(task); });
}

// Stop() waits for it, so that it needs no permission.
void InferencePool::Resume(Task& task) {
  task.queued_at_ = clock_.Now();
  waiting_[Class(&task)].fetch_add(1, std::memory_order_relaxed);
  inbox_.Push(&task);
  signal_.fetch_add(1, std::memory_order_release);
  signal_.notify_one();
  const std::lock_guard lock(outside_mutex_);
  --outside_;
  resumed_.notify_all();
}

bool InferencePool::AwaitResumed() {
  std::unique_lock lock(outside_mutex_);
  resumed_.wait(lock, [this] { return outside_ == 0 || !inbox_.empty(); });
  return !inbox_.empty();
}

void InferencePool::Gather() {
  inbox_.TakeAll([this](Task* task) {
    if (stopping_) task->Cancel();
    Heap& heap = heaps_[LineOf(task)];
    heap.push_back(task);
    std::push_heap(heap.begin(), heap.end(), Later);
  });
}

bool InferencePool::MayRun(size_t line, bool overdue) const {
  if (Urgent(line) || stopping_ || thread_count_ < 2) return true;
  if (line == kAudios && !MayFollow()) return false;
  const bool waits = Yields(line) && counted_.urgent > 0 && !overdue;
  if (waits && counted_.urgent + counted_.yielding + 1 >= thread_count_) return false;
  const size_t passed = thread_count_ == 2 && line == kPartials ? counted_.yielding : 0;
  if (counted_.patient - passed + 1 >= thread_count_) return false;
  return !Yields(line) || thread_count_ < 3 || counted_.yielding + 2 < thread_count_;
}

// Returns the most urgent overdue line of paying tenants; otherwise the longest overdue of the trials', one
// at a time, so that a trial's work of every class progresses.
std::optional<size_t> InferencePool::OverdueLine(int64_t now) const {
  if (!heaps_[kTurnTaking].empty()) return std::nullopt;
  const auto since = [&](size_t of) { return heaps_[of].front()->queued_at_ + kMaxQueueWait[of]; };
  std::optional<size_t> longest;
  for (size_t line = kFirstAudios; line < kLines; ++line) {
    if (heaps_[line].empty() || now <= since(line) || !MayRun(line, true)) continue;
    if (!OfTrial(line)) return line;
    if (overdue_trial_.runs || now < overdue_trial_.rest_until) continue;
    if (!longest || since(line) < since(*longest)) longest = line;
  }
  return longest;
}

// Further audio leaves one thread free. An interruption so waits at most for a partial's short step, or,
// beside offline work or a trial's, for the shorter of two steps.
bool InferencePool::MayFollow() const {
  return thread_count_ < 2 || counted_.following + 1 < thread_count_;
}

// Partials may occupy the remaining thread, and audio that waits behind them would run out.
bool InferencePool::SoundRunsOut(int64_t now) const {
  const Heap& waiting = heaps_[kAudios];
  if (waiting.empty() || waiting.front()->deadline() - now >= kRunsOut) return false;
  const bool awaited = !heaps_[kTurnTaking].empty() || !heaps_[kFirstAudios].empty();
  return !awaited && MayFollow();
}

InferencePool::Picked InferencePool::Pick() {
  const int64_t now = clock_.Now();
  if (SoundRunsOut(now)) {
    Picked picked = Pop(kAudios);
    picked.as.urgent = true;
    return picked;
  }
  if (const auto line = OverdueLine(now)) {
    Picked picked = Pop(*line);
    if (OfTrial(*line)) picked.as.overdue_trial_since = now;
    return picked;
  }
  for (size_t line = 0; line < kLines; ++line) {
    if (!heaps_[line].empty() && MayRun(line)) return Pop(line);
  }
  return {};
}

InferencePool::Picked InferencePool::Pop(size_t line) {
  Heap& heap = heaps_[line];
  std::pop_heap(heap.begin(), heap.end(), Later);
  Task* task = heap.back();
  heap.pop_back();
  waiting_[Class(task)].fetch_sub(1, std::memory_order_relaxed);
  wait_nanos_[Class(task)].store(clock_.Now() - task->queued_at_, std::memory_order_relaxed);
  return {task, {.urgent = Urgent(line), .yields = Yields(line), .follows = line == kAudios}};
}

PoolStats InferencePool::stats() const {
  PoolStats stats;
  for (size_t i = 0; i < kPriorities; ++i) {
    stats.waiting[i] = waiting_[i].load(std::memory_order_relaxed);
    stats.done[i] = done_[i].load(std::memory_order_relaxed);
    stats.wait_nanos[i] = wait_nanos_[i].load(std::memory_order_relaxed);
  }
  std::lock_guard lock(mutex_);
  stats.running = static_cast<uint32_t>(running_.size());
  return stats;
}

}  // namespace trunkline::engine
