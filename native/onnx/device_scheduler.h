// Batches for a model on a GPU: work of many calls that waits at the same time goes into one run.
//
// One thread for each model takes the most urgent work, adds what can run with it, and runs them. It waits a few
// milliseconds for more only while callers that are known to come are absent. Live work precedes offline work,
// then the earlier deadline goes first; work that has waited for two seconds counts as live, so that offline work
// progresses. After a failed run, or one that does not return in time, the model is closed: everything that waits ends
// with that status, and its owner repeats it on the processor.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace trunkline::onnx {

// One call's part of a run. Its owner keeps it and what it refers to until `done` is called.
class DeviceWork {
 public:
  struct Urgency {
    bool live = true;
    // The time from its submission to its deadline.
    int64_t within_nanos = 500 * base::kNanosPerMilli;
  };

  virtual ~DeviceWork() = default;

  const base::Status& status() const { return status_; }

 private:
  friend class DeviceScheduler;
  base::Status status_;
  std::function<void()> done_;
  bool live_ = false;
  int64_t deadline_ = 0;
  int64_t queued_at_ = 0;
};

struct DeviceStats {
  uint64_t batches = 0;
  uint64_t works = 0;
  size_t waiting = 0;
  // A mean that follows the latest runs.
  int64_t batch_nanos = 0;
};

class DeviceScheduler {
 public:
  using GiveResults = std::function<void()>;
  // It runs the batches. All but `expected` is called on the scheduler's threads, one call at a time, but that Failed
  // comes while a run hangs.
  class Model {
   public:
    virtual ~Model() = default;
    // The callers that have work on the device, waiting or about to come.
    virtual size_t expected() const = 0;
    // Chooses what runs next from `waiting`, in order of urgency; nothing while it all waits for room.
    virtual std::vector<DeviceWork*> Choose(std::span<DeviceWork* const> waiting) = 0;
    // Copies what the works brought before it runs, and does not touch them afterwards: when the device hangs, they end
    // before it returns. The result is called unless that happened, and gives each of them its own.
    virtual base::Result<GiveResults> Run(std::span<DeviceWork* const> batch) = 0;
    // A run has failed: no other follows.
    virtual void Failed(const base::Status& status) = 0;
  };
  struct Settings {
    int64_t gather_nanos = 3 * base::kNanosPerMilli;
    size_t max_waiting = 1024;
    // A run that takes longer has failed. 0: runs may take as long as they do.
    int64_t max_run_nanos = 0;
  };

  // `model` and `clock` must outlive it.
  DeviceScheduler(Model& model, const base::Clock& clock, const Settings& settings);
  // Ends what waits with kClosed. Not while hangs(): see Share.
  ~DeviceScheduler();
  DeviceScheduler(const DeviceScheduler&) = delete;
  DeviceScheduler& operator=(const DeviceScheduler&) = delete;

  // Calls `done` once, on any thread, perhaps before it returns; status() holds the result. `opens`: the work begins a
  // call's use of the device. It ends with kCapacity when the queue is full or when, by the measured time of a batch,
  // it would run after its deadline. Work that goes on is always taken.
  void Submit(DeviceWork& work, DeviceWork::Urgency urgency, bool opens, std::function<void()> done);
  // Room has become free: looks again at what waits.
  void Wake();
  // The time until live work that is submitted now would run.
  int64_t WaitNanos() const;
  DeviceStats stats() const;
  // Returns whether a run has not returned in time and still has not.
  bool hangs() const;

  // Destroys the owner of a scheduler, or leaves it to the run that hangs in it until the process ends.
  template <typename Owner>
  static std::shared_ptr<Owner> Share(Owner* owner) {
    return std::shared_ptr<Owner>(owner, [](Owner* last) {
      if (last->scheduler_ == nullptr || !last->scheduler_->hangs()) delete last;
    });
  }

 private:
  // The batch that the runner has, and what came of it.
  struct Running {
    std::vector<DeviceWork*> batch;
    bool ended = false;
    base::Status status;
    GiveResults give;
  };

  void Work();
  void RunBatches();
  base::Status RunInTime(std::vector<DeviceWork*> batch);
  // Requires the lock.
  bool Gathered(int64_t now) const;
  void Sort(int64_t now);
  int64_t WaitBehind(bool live) const;
  void Finish(std::span<DeviceWork* const> works, const base::Status& status);
  void Measure(int64_t nanos, size_t works);

  Model& model_;
  const base::Clock& clock_;
  const Settings settings_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<DeviceWork*> waiting_;
  bool stopping_ = false;
  bool looks_again_ = false;  // something changed since Choose found nothing
  std::optional<int64_t> running_since_;
  base::Status failure_;
  uint64_t batches_ = 0, works_ = 0;
  double batch_nanos_ = 0, batch_works_ = 1;
  std::condition_variable ran_;
  std::optional<Running> running_;
  bool hangs_ = false;
  bool runs_no_more_ = false;
  std::thread thread_, runner_;
};

}  // namespace trunkline::onnx
