// The worker pool for inference: its threads and the queue in front of them.
//
// Order: by priority class, then by deadline. These rules keep it fair and live work quick:
//   - Work that has waited longer than its class allows is served before anything but kTurnTaking, so that
//     offline work progresses, however busy the lanes are.
//   - Further audio precedes partials once the audio ahead of it runs out within half a second, and may take
//     the reserved thread while no interruption or first audio waits and one thread does no such work. An
//     interruption that comes then waits for the shorter of two steps, which beside a partial is short.
//   - With two threads or more, one is reserved for kTurnTaking and kFirstAudio: a step of further audio takes a
//     tenth of a second, and an interruption is decided in less. With three or more, one more is never given
//     to offline work. With two, a partial does not wait for a step of offline work, which may take a third
//     of a second: a partial's own steps are short.
//   - Live work of trials waits until no paying tenant has live work, and their offline work until paying
//     tenants have no work at all. Overdue trials get a tenth of one thread: one step at a time, the longest
//     overdue first, followed by a pause of nine times its duration.
//   - Offline work starts no step while kTurnTaking or kFirstAudio runs, unless a thread is free, because sockets
//     and media threads need the core too.
// Submit is lock-free and allocates nothing, since media threads call it. Only the pool's own threads share a
// lock.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "engine/task.h"

namespace trunkline::engine {

struct PoolStats {
  std::array<uint32_t, kPriorities> waiting{};
  std::array<uint64_t, kPriorities> done{};
  // The last task of the class waited this long before it ran.
  std::array<int64_t, kPriorities> wait_nanos{};
  uint32_t running = 0;
};

class InferencePool {
 public:
  // `threads` may be 0: then only RunOne runs tasks (tests). `expected` tasks wait without allocation.
  InferencePool(const base::Clock& clock, size_t threads, size_t expected);
  ~InferencePool();

  // Callable from any thread; never blocks. The task's priority and deadline are set. Returns false after
  // Stop().
  bool Submit(Task& task);

  // Takes no more, cancels what waits and what runs, joins the threads, and awaits tasks that wait outside of the pool. Every accepted task gets its
  // Finished().
  void Stop();

  // Runs the most urgent waiting task on the calling thread; returns false when none waits.
  bool RunOne();
  // Waits until a task that waits outside of the pool is resumed; returns false when there is none. For pools without
  // threads.
  bool AwaitResumed();

  PoolStats stats() const;
  // The share of the engine's capacity that its open lanes take, by admission's measure. From any thread.
  void SetLoad(float load) { load_.store(load, std::memory_order_relaxed); }
  float load() const { return load_.load(std::memory_order_relaxed); }
  size_t threads() const { return thread_count_; }

 private:
  // The earliest deadline is on top.
  using Heap = std::vector<Task*>;
  static constexpr size_t kLines = 2 * kPriorities;

  // The running tasks, as the rules count them. A task may change its class in a step.
  struct Running {
    bool urgent = false;
    bool yields = false;
    bool follows = false;
    // The time since which a trial's overdue task runs; negative without one.
    int64_t overdue_trial_since = -1;
  };
  struct Picked {
    Task* task = nullptr;
    Running as;
  };

  void Work();
  // Requires the lock. Returns no task when nothing may run now.
  Picked Pick();
  bool MayFollow() const;
  bool SoundRunsOut(int64_t now) const;
  void Gather();
  void Put(Task* task);
  Picked Pop(size_t line);
  // `overdue`: it has waited longer than its class allows.
  bool MayRun(size_t line, bool overdue = false) const;
  std::optional<size_t> OverdueLine(int64_t now) const;
  void Began(const Running& as);
  void Ended(const Running& as);
  static Task::Step RunStep(Task& task);
  void Complete(Task* task, Task::Step step);
  void WaitOutside(Task& task);
  void Resume(Task& task);

  const base::Clock& clock_;
  const size_t thread_count_;
  TaskStack<Task> inbox_;
  std::atomic<uint32_t> accepting_{1};
  std::atomic<uint32_t> submitting_{0};
  std::atomic<uint32_t> signal_{0};  // counts submissions; workers sleep on it

  std::mutex outside_mutex_;
  std::condition_variable resumed_;
  size_t outside_ = 0;  // tasks that answered kWaits and are not resumed

  mutable std::mutex mutex_;  // shared by the pool's threads alone
  std::array<Heap, kLines> heaps_;
  std::vector<Task*> running_;
  struct {
    size_t patient = 0, yielding = 0, urgent = 0, following = 0;
  } counted_;
  struct {
    bool runs = false;
    int64_t rest_until = 0;
  } overdue_trial_;
  bool stopping_ = false;

  std::array<std::atomic<uint32_t>, kPriorities> waiting_{};
  std::array<std::atomic<uint64_t>, kPriorities> done_{};
  std::array<std::atomic<int64_t>, kPriorities> wait_nanos_{};
  std::atomic<float> load_{0};
  std::vector<std::thread> workers_;
};

}  // namespace trunkline::engine
