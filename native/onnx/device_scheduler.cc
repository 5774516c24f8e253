#include "onnx/device_scheduler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <tuple>

namespace trunkline::onnx {
namespace {

using base::Code;
using base::Status;

// Work that has waited this long counts as live.
constexpr int64_t kOverdue = 2000 * base::kNanosPerMilli;
// The weight of the latest run in the means.
constexpr double kLatest = 0.1;

// The scheduler's thread has no caller, so that an exception would end the process.
base::Result<DeviceScheduler::GiveResults> RunGuarded(DeviceScheduler::Model& model,
                                                      std::span<DeviceWork* const> batch) {
  try {
    return model.Run(batch);
  } catch (...) {
    return Status(Code::kInternal, "a run threw an exception");
  }
}

}  // namespace

DeviceScheduler::DeviceScheduler(Model& model, const base::Clock& clock, const Settings& settings)
    : model_(model), clock_(clock), settings_(settings) {
  runner_ = std::thread([this] { RunBatches(); });
  thread_ = std::thread([this] { Work(); });
}

DeviceScheduler::~DeviceScheduler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
  {
    const std::lock_guard lock(mutex_);
    runs_no_more_ = true;
    ran_.notify_all();
  }
  runner_.join();
}

void DeviceScheduler::Submit(DeviceWork& work, DeviceWork::Urgency urgency, bool opens,
                             std::function<void()> done) {
  work.status_ = base::Ok();
  {
    const std::lock_guard lock(mutex_);
    const int64_t now = clock_.Now();
    if (stopping_) {
      work.status_ = Status(Code::kClosed, "the device is closing");
    } else if (!failure_.ok()) {
      work.status_ = failure_;
    } else if (opens && waiting_.size() >= settings_.max_waiting) {
      work.status_ = Status(Code::kCapacity, "too much work waits for the GPU");
    } else if (opens && WaitBehind(urgency.live) > urgency.within_nanos) {
      work.status_ = Status(Code::kCapacity, "the GPU would run this work after its deadline");
    } else {
      work.live_ = urgency.live;
      work.deadline_ = now + urgency.within_nanos;
      work.done_ = std::move(done);
      work.queued_at_ = now;
      waiting_.push_back(&work);
      looks_again_ = true;
      changed_.notify_all();
      return;
    }
  }
  done();
}

void DeviceScheduler::Wake() {
  const std::lock_guard lock(mutex_);
  looks_again_ = true;
  changed_.notify_all();
}

int64_t DeviceScheduler::WaitBehind(bool live) const {
  const auto ahead = std::count_if(waiting_.begin(), waiting_.end(),
                                   [&](const DeviceWork* work) { return work->live_ || !live; });
  const auto waits =
      static_cast<int64_t>(batch_nanos_ * std::ceil(static_cast<double>(ahead) / batch_works_));
  if (!running_since_ || batches_ == 0) return waits;
  // A run that takes longer than the mean is expected to exceed it by as much again.
  return waits + std::abs(static_cast<int64_t>(batch_nanos_) - (clock_.Now() - *running_since_));
}

int64_t DeviceScheduler::WaitNanos() const {
  const std::lock_guard lock(mutex_);
  return WaitBehind(true);
}

DeviceStats DeviceScheduler::stats() const {
  const std::lock_guard lock(mutex_);
  return {batches_, works_, waiting_.size(), static_cast<int64_t>(batch_nanos_)};
}

bool DeviceScheduler::Gathered(int64_t now) const {
  if (waiting_.size() >= model_.expected()) return true;
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const DeviceWork* work) {
    return now - work->queued_at_ >= settings_.gather_nanos;
  });
}

void DeviceScheduler::Sort(int64_t now) {
  const auto key = [now](const DeviceWork* work) {
    const bool live = work->live_ || now - work->queued_at_ > kOverdue;
    return std::tuple(!live, work->deadline_, work->queued_at_);
  };
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [&](const DeviceWork* a, const DeviceWork* b) { return key(a) < key(b); });
}

void DeviceScheduler::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || (looks_again_ && !waiting_.empty()); });
    if (stopping_) break;
    if (!Gathered(clock_.Now())) {
      changed_.wait_for(lock, std::chrono::nanoseconds(settings_.gather_nanos),
                        [this] { return stopping_ || Gathered(clock_.Now()); });
      if (stopping_) break;
    }
    Sort(clock_.Now());
    const std::vector<DeviceWork*> batch = model_.Choose(waiting_);
    looks_again_ = !batch.empty();
    if (batch.empty()) continue;
    std::erase_if(waiting_, [&](DeviceWork* work) {
      return std::find(batch.begin(), batch.end(), work) != batch.end();
    });
    const int64_t begun = clock_.Now();
    running_since_ = begun;
    lock.unlock();
    const Status status = RunInTime(batch);
    Measure(clock_.Now() - begun, batch.size());
    if (status.ok()) {
      Finish(batch, status);
      lock.lock();
      continue;
    }
    model_.Failed(status);
    lock.lock();
    failure_ = status;
    std::vector<DeviceWork*> all = std::move(waiting_);
    waiting_.clear();
    all.insert(all.begin(), batch.begin(), batch.end());
    lock.unlock();
    Finish(all, status);
    lock.lock();
  }
  const std::vector<DeviceWork*> left = std::move(waiting_);
  waiting_.clear();
  lock.unlock();
  Finish(left, Status(Code::kClosed, "the device is closing"));
}

Status DeviceScheduler::RunInTime(std::vector<DeviceWork*> batch) {
  std::unique_lock lock(mutex_);
  running_.emplace(Running{});
  running_->batch = std::move(batch);
  ran_.notify_all();
  const auto ended = [this] { return running_->ended; };
  if (settings_.max_run_nanos == 0) {
    ran_.wait(lock, ended);
  } else if (!ran_.wait_for(lock, std::chrono::nanoseconds(settings_.max_run_nanos), ended)) {
    hangs_ = true;
    return Status(Code::kDevice, "a run did not return within " +
                                     std::to_string(settings_.max_run_nanos / base::kNanosPerMilli) + " ms");
  }
  const Running run = std::move(*running_);
  running_.reset();
  lock.unlock();
  if (run.status.ok()) run.give();
  return run.status;
}

void DeviceScheduler::RunBatches() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ran_.wait(lock, [this] { return runs_no_more_ || (running_ && !running_->ended); });
    if (runs_no_more_) return;
    const std::vector<DeviceWork*> batch = running_->batch;
    lock.unlock();
    auto result = RunGuarded(model_, batch);
    lock.lock();
    running_->ended = true;
    running_->status = result.status();
    if (result.ok()) running_->give = std::move(*result);
    hangs_ = false;
    ran_.notify_all();
  }
}

bool DeviceScheduler::hangs() const {
  const std::lock_guard lock(mutex_);
  return hangs_;
}

void DeviceScheduler::Measure(int64_t nanos, size_t works) {
  const std::lock_guard lock(mutex_);
  const double weight = batches_ == 0 ? 1 : kLatest;
  batch_nanos_ += weight * (static_cast<double>(nanos) - batch_nanos_);
  batch_works_ += weight * (static_cast<double>(works) - batch_works_);
  ++batches_;
  works_ += works;
  running_since_.reset();
}

// `done` may free the work.
void DeviceScheduler::Finish(std::span<DeviceWork* const> works, const Status& status) {
  for (DeviceWork* work : works) {
    work->status_ = status;
    const auto done = std::move(work->done_);
    done();
  }
}

}  // namespace trunkline::onnx
