// The live jobs. JavaScript thread unless noted.
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
  // At most `limit` jobs, which may hold at most `memory` bytes together, as their kinds declare it.
  JobTable(const base::Clock& clock, InferencePool& pool, Notices& notices, WakeGate& gate, size_t limit,
           size_t memory);
  ~JobTable();

  // Returns the job's number, never 0 and not reused for a long time. kCapacity when too many live, or hold
  // too much; trials have half of either, and one of them is always allowed.
  base::Result<uint32_t> Start(JobKind& kind, std::unique_ptr<Job> job, Tenant tenant, Priority priority,
                               const onnx::Runtime* runtime);
  // Discards its waiting chunks. Returns false for an unknown number.
  bool Cancel(uint32_t number);
  // Takes the oldest chunk; returns false when there is none. A parked job resumes.
  bool Take(uint32_t number, Chunk& chunk);
  size_t live() const { return jobs_.size(); }
  size_t memory() const { return UsageOf(std::nullopt).memory; }

  // Removes jobs whose end was reported and whose chunks were taken. Called by drain, after the notices.
  void Sweep();

 private:
  class Running;
  struct Usage {
    size_t jobs = 0, memory = 0;
  };
  // Without a tenant, counts all.
  Usage UsageOf(std::optional<Tenant> tenant) const;

  const base::Clock& clock_;
  InferencePool& pool_;
  Notices& notices_;
  WakeGate& gate_;
  const size_t limit_, memory_limit_;
  uint32_t last_ = 0;
  std::map<uint32_t, std::unique_ptr<Running>> jobs_;
};

}  // namespace trunkline::engine
