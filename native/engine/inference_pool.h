// The threads that run models, and the one queue in front of them.
//
// Order: by priority class, then by deadline. Two rules keep that fair and live work quick:
//   - Work that has waited longer than its class's patience is taken before anything but kCut, so that
//     offline work always gets on, however busy the lanes are.
//   - Sound that follows comes before partials once what is ahead of it runs out in half a second, and may take the
//     thread that is kept, as long as nobody waits for a cut or a first sound, and one thread works at no such sound.
//     A cut that comes then waits for the shorter of two steps, which beside a partial is short.
//   - Where there are two threads or more, one is kept for kCut and kFirstAudio: a step of a voice that is
//     already speaking takes a tenth of a second, and an interruption is decided in less. Where there are
//     three or more, one more is never given to offline work. Where there are two, a partial does not wait
//     for a step of offline work, which may be a third of a second: a partial's own steps are short.
//   - What trials ask for waits until no live tenant has work that somebody waits for, and their offline work until
//     live tenants have none at all. Where live tenants never rest, overdue trials have a tenth of one thread: one of
//     their steps at a time, the longest overdue first, and after each they wait nine times as long as it took.
//   - Offline work begins no step while kCut or kFirstAudio runs, unless a thread is to spare: the core that
//     it would take is the sockets' and the media threads' as well.
// Submit is lock-free and allocates nothing: media threads call it. Only the pool's own threads share a lock.
#pragma once

#include <array>
#include <atomic>
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
  // How long the last task of the class waited before it ran.
  std::array<int64_t, kPriorities> wait_nanos{};
  uint32_t running = 0;
  uint64_t batches = 0;
};

class InferencePool {
 public:
  // `threads` may be 0: then nothing runs but through RunOne (tests). `expected` tasks wait without
  // allocation.
  InferencePool(const base::Clock& clock, size_t threads, size_t expected);
  ~InferencePool();

  // From any thread, never waits. The task's priority and deadline are set. False after Stop(): nothing was
  // taken.
  bool Submit(Task& task);

  // Takes no more, cancels what waits and what runs, and joins the threads. Every task accepted gets its
  // Finished().
  void Stop();

  // Runs the most urgent waiting task on the calling thread; false when none waits.
  bool RunOne();

  PoolStats stats() const;
  size_t threads() const { return thread_count_; }

 private:
  // A heap of one line: the earliest deadline on top.
  using Heap = std::vector<Task*>;
  static constexpr size_t kLines = 2 * kPriorities;

  // What runs, as the rules count it. A task's own class may change in a step.
  struct Running {
    bool urgent = false;
    bool yields = false;
    bool follows = false;
    // A trial that was taken out of turn, since then; else negative.
    int64_t overdue_trial_since = -1;
  };
  struct Picked {
    Task* task = nullptr;
    Running as;
  };

  void Work();
  // With the lock held. No task when nothing may run now.
  Picked Pick();
  bool MayFollow() const;
  bool SoundRunsOut(int64_t now) const;
  void Gather();
  void Put(Task* task);
  Picked Pop(size_t line);
  // `overdue`: it has waited longer than its patience.
  bool MayRun(size_t line, bool overdue = false) const;
  std::optional<size_t> OverdueLine(int64_t now) const;
  void Began(const Running& as);
  void Ended(const Running& as);
  size_t TakeBatch(Task* first, std::span<Task*> batch);
  static Task::Step RunStep(Task& task);
  void Complete(Task* task, Task::Step step);

  const base::Clock& clock_;
  const size_t thread_count_;
  TaskStack<Task> inbox_;
  std::atomic<uint32_t> accepting_{1};
  std::atomic<uint32_t> submitting_{0};
  std::atomic<uint32_t> signal_{0};  // counts submissions; workers sleep on it

  mutable std::mutex mutex_;  // shared by the pool's threads alone
  std::array<Heap, kLines> heaps_;
  std::vector<Task*> running_;
  // What runs now, by what it is.
  struct {
    size_t patient = 0, yielding = 0, urgent = 0, following = 0;
  } counted_;
  // Of trials that are taken out of turn.
  struct {
    bool runs = false;
    int64_t rest_until = 0;
  } overdue_trial_;
  bool stopping_ = false;

  std::array<std::atomic<uint32_t>, kPriorities> waiting_{};
  std::array<std::atomic<uint64_t>, kPriorities> done_{};
  std::array<std::atomic<int64_t>, kPriorities> wait_nanos_{};
  std::atomic<uint64_t> batches_{0};
  std::vector<std::thread> workers_;
};

}  // namespace trunkline::engine
