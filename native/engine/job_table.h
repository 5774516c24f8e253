// Jobs that live. JavaScript thread, except where it says otherwise.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "engine/inference_pool.h"
#include "engine/job.h"
#include "engine/notices.h"
#include "engine/wake_gate.h"

namespace trunkline::engine {

class JobTable {
 public:
  // At most `limit` jobs, which hold at most `memory` bytes by what their kinds say.
  JobTable(const base::Clock& clock, InferencePool& pool, Notices& notices, WakeGate& gate, size_t limit,
           size_t memory);
  ~JobTable();

  // The job's number, never 0 and never used again for a long time. kCapacity when too many live, or
  // hold too much; trials have half of either, and one of them always may.
  base::Result<uint32_t> Start(JobKind& kind, std::unique_ptr<Job> job, Tenant tenant, Priority priority,
                               const onnx::Runtime* runtime);
  // Its chunks that wait are thrown away. False for a number that no job has (any more).
  bool Cancel(uint32_t number);
  // The oldest chunk that was not taken; false where there is none. A job that was parked for it goes on.
  bool Take(uint32_t number, Chunk& chunk);
  void CancelAll();
  size_t live() const { return jobs_.size(); }
  // Bytes that the jobs which are not over may hold.
  size_t memory() const { return HeldBy(std::nullopt).memory; }

  // Forgets jobs whose end was told and whose chunks were taken. Called by drain, after the notices went out.
  void Sweep();

 private:
  class Running;
  struct Held {
    size_t jobs = 0, memory = 0;
  };
  // Of one kind of tenant, or of all.
  Held HeldBy(std::optional<Tenant> tenant) const;

  const base::Clock& clock_;
  InferencePool& pool_;
  Notices& notices_;
  WakeGate& gate_;
  const size_t limit_, memory_limit_;
  uint32_t last_ = 0;
  std::map<uint32_t, std::unique_ptr<Running>> jobs_;
};

}  // namespace trunkline::engine
