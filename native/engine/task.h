// A cancellable piece of inference work.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "onnx/onnx.h"

namespace trunkline::engine {

// Priority classes in order. Within a class the earlier deadline goes first.
enum class Priority : uint8_t {
  kTurnTaking,  // barge-in decisions, endpointing, and an utterance's final decode
  kFirstAudio,  // the first audio of an answer
  kPartial,     // partials of an open utterance
  kAudio,       // further audio
  kOffline,     // offline jobs
};
inline constexpr size_t kPriorities = 5;

// A trial's work waits while paying tenants have work.
enum class Tenant : uint8_t { kLive, kTrial };

// Owned by its submitter and reused, so submitting allocates nothing. From Submit until Finished() it belongs
// to the pool, and only Cancel() may touch it.
class Task {
 public:
  enum class Step {
    kDone,
    // There is more: queue the task again with its new priority and deadline. More urgent work goes in
    // between.
    kAgain,
    // There is more, but the submitter resumes the task (a job whose chunks are not taken).
    kParked,
    // There is more once work outside of the pool is done, which Wait() starts (a batch on a GPU).
    kWaits,
  };

  virtual ~Task() = default;
  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Runs on a pool thread. An exception ends the task and sets faulted(). A step should take well under
  // 100 ms, because more urgent work waits for it.
  virtual Step Run() = 0;

  // On a pool thread, after the last step, or instead of the first when it was cancelled before.
  // The pool no longer refers to the task.
  virtual void Finished() = 0;

  // On a pool thread, after a step that answered kParked: from here on the task may be submitted again.
  virtual void Parked() {}

  // On a pool thread, after a step that answered kWaits: starts that work. `resume` is called once, on any thread; the
  // task's next step follows.
  virtual void Wait(std::function<void()> resume) { resume(); }

  // From any thread, at any time: Run() returns after the current node of the model.
  void Cancel();
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  // Run() threw: there is no result.
  bool faulted() const { return faulted_; }

  // For Session::Run, so that Cancel() stops a model run; null when none were attached.
  const onnx::RunOptions* run_options() const { return run_options_.get(); }
  // Called once, before the first Submit.
  base::Status AttachRunOptions(const onnx::Runtime& runtime);

  Priority priority() const { return priority_; }
  int64_t deadline() const { return deadline_; }
  Tenant tenant() const { return tenant_; }
  // Called before Submit.
  void WorkFor(Tenant tenant) { tenant_ = tenant; }
  // Called before Submit, or inside Run for the next step.
  void Schedule(Priority priority, int64_t deadline) {
    priority_ = priority;
    deadline_ = deadline;
  }

 protected:
  void ResetCancel();

 private:
  friend class InferencePool;
  friend class MediaLoop;
  template <typename T>
  friend class TaskStack;

  std::unique_ptr<onnx::RunOptions> run_options_;
  std::atomic<bool> cancelled_{false};
  bool faulted_ = false;
  Priority priority_ = Priority::kOffline;
  Tenant tenant_ = Tenant::kLive;
  int64_t deadline_ = 0;
  int64_t queued_at_ = 0;
  Task* next_ = nullptr;
};

// A lock-free list that many threads push to and one takes whole.
template <typename T>
class TaskStack {
 public:
  void Push(T* task) {
    Task* head = head_.load(std::memory_order_relaxed);
    do {
      task->next_ = head;
    } while (!head_.compare_exchange_weak(head, task, std::memory_order_release, std::memory_order_relaxed));
  }

  // Calls `visit` for each, oldest first; a task may be pushed again from inside.
  template <typename Visit>
  size_t TakeAll(Visit visit) {
    Task* newest = head_.exchange(nullptr, std::memory_order_acquire);
    Task* oldest = nullptr;
    while (newest != nullptr) {
      Task* next = newest->next_;
      newest->next_ = oldest;
      oldest = newest;
      newest = next;
    }
    size_t count = 0;
    while (oldest != nullptr) {
      Task* task = oldest;
      oldest = task->next_;
      task->next_ = nullptr;
      visit(static_cast<T*>(task));
      ++count;
    }
    return count;
  }

  bool empty() const { return head_.load(std::memory_order_acquire) == nullptr; }

 private:
  std::atomic<Task*> head_{nullptr};
};

}  // namespace trunkline::engine
