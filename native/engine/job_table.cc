#include "engine/job_table.h"

#include <deque>
#include <mutex>

#include "engine/records.h"

namespace trunkline::engine {

using base::Code;
using base::Result;
using base::Status;

class JobTable::Running final : public Task, public JobIo {
 public:
  Running(JobTable& table, uint32_t number, std::unique_ptr<Job> job, const JobKind& kind)
      : table_(table),
        number_(number),
        chunk_limit_(kind.chunk_limit()),
        memory_(kind.memory()),
        job_(std::move(job)) {}

  // Task, on a pool thread.
  Step Run() override {
    const Step step = job_->Step(*this);
    if (step == Step::kDone || cancelled()) return Step::kDone;
    if (step == Step::kWaits) return step;
    std::lock_guard lock(mutex_);
    return chunks_.size() < chunk_limit_ ? Step::kAgain : Step::kParked;
  }

  void Wait(std::function<void()> resume) override { job_->Wait(std::move(resume)); }

  void Parked() override {
    {
      std::lock_guard lock(mutex_);
      parked_ = true;
      if (!cancelled() && chunks_.size() >= chunk_limit_) return;
      parked_ = false;  // chunks were taken, or the job cancelled, before parked_ was set
    }
    Resume();
  }

  void Finished() override {
    Status status = status_;
    if (faulted()) status = Status(Code::kInternal, "the job threw an exception");
    if (cancelled() && !ended_by_job_) status = Status(Code::kCancelled);
    job_.reset();
    std::string bytes(4, '\0');
    const int32_t code = static_cast<int32_t>(status.code());
    std::memcpy(bytes.data(), &code, 4);
    bytes.append(status.message());
    Notices& notices = table_.notices_;
    WakeGate& gate = table_.gate_;
    const LaneId from = id();
    ended_.store(true, std::memory_order_release);  // the last touch: JavaScript may free the job now
    notices.Add(from, kJobEndEvent, base::AsBytes(bytes));
    gate.Signal();
  }

  // JobIo, on a pool thread.
  bool cancelled() const override { return Task::cancelled(); }
  const onnx::RunOptions* run_options() const override { return Task::run_options(); }
  int64_t now() const override { return table_.clock_.Now(); }
  void Schedule(Priority priority, int64_t deadline) override { Task::Schedule(priority, deadline); }

  void Emit(Chunk chunk) override {
    const uint32_t size = static_cast<uint32_t>(chunk.size());
    {
      std::lock_guard lock(mutex_);
      if (cancelled()) return;
      chunks_.push_back(std::move(chunk));
    }
    Publish(kJobChunkEvent, &size, sizeof(size), false);
  }

  void Progress(float share) override { Publish(kJobProgressEvent, &share, sizeof(share), true); }

  Step End(Status status) override {
    status_ = std::move(status);
    ended_by_job_ = true;
    return Step::kDone;
  }

  // JavaScript thread.
  void Resume() {
    if (!table_.pool_.Submit(*this)) {
      Task::Cancel();
      Finished();
    }
  }

  // Discards all chunks from here on, also those that wait.
  void Stop() {
    Task::Cancel();
    {
      std::lock_guard lock(mutex_);
      chunks_.clear();
    }
    ResumeIfParked(true);
  }

  bool Take(Chunk& chunk) {
    {
      std::lock_guard lock(mutex_);
      if (chunks_.empty()) return false;
      chunk = std::move(chunks_.front());
      chunks_.pop_front();
    }
    ResumeIfParked(false);
    return true;
  }

  // A job that has ended is freed, even while chunks of its result still wait.
  size_t memory() const { return ended_.load(std::memory_order_acquire) ? 0 : memory_; }

  bool over() {
    if (!ended_.load(std::memory_order_acquire)) return false;
    std::lock_guard lock(mutex_);
    return chunks_.empty() || Task::cancelled();
  }

 private:
  LaneId id() const { return {kJobSlot, number_}; }

  void Publish(uint16_t type, const void* data, size_t size, bool replace) {
    table_.notices_.Add(id(), type, {static_cast<const uint8_t*>(data), size}, replace);
    table_.gate_.Signal();
  }

  void ResumeIfParked(bool whatever) {
    {
      std::lock_guard lock(mutex_);
      if (!parked_ || (!whatever && chunks_.size() >= chunk_limit_)) return;
      parked_ = false;
    }
    Resume();
  }

  JobTable& table_;
  const uint32_t number_;
  const size_t chunk_limit_, memory_;
  std::unique_ptr<Job> job_;
  Status status_;
  bool ended_by_job_ = false;
  std::mutex mutex_;
  std::deque<Chunk> chunks_;
  bool parked_ = false;
  std::atomic<bool> ended_{false};
};

JobTable::JobTable(const base::Clock& clock, InferencePool& pool, Notices& notices, WakeGate& gate,
                   size_t limit, size_t memory)
    : clock_(clock), pool_(pool), notices_(notices), gate_(gate), limit_(limit), memory_limit_(memory) {}

JobTable::~JobTable() = default;

Result<uint32_t> JobTable::Start(JobKind& kind, std::unique_ptr<Job> job, Tenant tenant, Priority priority,
                                 const onnx::Runtime* runtime) {
  const Usage all = UsageOf(std::nullopt);
  const Usage trials = tenant == Tenant::kTrial ? UsageOf(tenant) : Usage{};
  if (jobs_.size() >= limit_ || (trials.jobs > 0 && trials.jobs >= limit_ / 2))
    return Status(Code::kCapacity, "too many jobs at once");
  const size_t wanted = kind.memory();
  if (wanted > 0 && (all.memory + wanted > memory_limit_ ||
                     (trials.memory > 0 && trials.memory + wanted > memory_limit_ / 2)))
    return Status(Code::kCapacity, "the running jobs hold all the memory that jobs may use");
  do {
    ++last_;
  } while (last_ == 0 || jobs_.count(last_) > 0);
  auto running = std::make_unique<Running>(*this, last_, std::move(job), kind);
  if (runtime != nullptr) TRUNKLINE_RETURN_IF_FAILED(running->AttachRunOptions(*runtime));
  running->WorkFor(tenant);
  running->Task::Schedule(priority, clock_.Now());
  Running& task = *running;
  jobs_.emplace(last_, std::move(running));
  if (!pool_.Submit(task)) {
    jobs_.erase(last_);
    return Status(Code::kClosed);
  }
  return last_;
}

JobTable::Usage JobTable::UsageOf(std::optional<Tenant> tenant) const {
  Usage held;
  for (const auto& [number, job] : jobs_) {
    if (tenant && job->tenant() != *tenant) continue;
    ++held.jobs;
    held.memory += job->memory();
  }
  return held;
}

bool JobTable::Cancel(uint32_t number) {
  const auto found = jobs_.find(number);
  if (found == jobs_.end()) return false;
  found->second->Stop();
  return true;
}

bool JobTable::Take(uint32_t number, Chunk& chunk) {
  const auto found = jobs_.find(number);
  if (found == jobs_.end() || !found->second->Take(chunk)) return false;
  if (found->second->over()) jobs_.erase(found);
  return true;
}

void JobTable::Sweep() {
  std::erase_if(jobs_, [](auto& entry) { return entry.second->over(); });
}

}  // namespace trunkline::engine
