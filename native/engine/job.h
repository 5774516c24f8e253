// The interface of offline work: transcribe a file, synthesize a text, embed sentences.
//
// A kind of job is a JobKind, registered by name in binding/kinds.cc. submit(kind, options, input) makes a
// Job; the engine runs its steps on the pool, at the priority that the job gives to each step, until it is
// done:
//
//   Task::Step MyJob::Step(JobIo& io) {
//     if (io.cancelled()) return Finish(io, …);        // optional: a cancelled job ends with
//                                                      // kCancelled by itself
//     …                                                // one window, one sentence, one segment: well under
//                                                      // 100 ms where it can, with io.run_options() for the model
//     io.Emit(std::move(bytes));                       // a chunk of the result, taken by JavaScript without
//                                                      // a copy
//     io.Progress(0.5f);
//     io.Schedule(Priority::kAudio, deadline);         // for the next step
//     return more ? kAgain : io.End(base::Ok());
//   }
//
// Chunks wait in a bounded list. When it is full because a client reads slowly, the job is parked after the
// step and resumes when chunks are taken. All methods run on one thread at a time, but not always on the same
// one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/status.h"
#include "engine/options.h"
#include "engine/task.h"

namespace trunkline::engine {

class Services;

// The deadline of a step of offline work: one for all kinds of jobs, so that none passes the others step after step.
inline constexpr int64_t kOfflineStepNanos = 10'000 * base::kNanosPerMilli;

// A chunk moves to JavaScript without a copy.
using Chunk = std::vector<uint8_t>;

class JobIo {
 public:
  virtual ~JobIo() = default;
  virtual bool cancelled() const = 0;
  virtual const onnx::RunOptions* run_options() const = 0;
  virtual int64_t now() const = 0;
  virtual void Emit(Chunk chunk) = 0;
  // 0..1; only the latest value is reported.
  virtual void Progress(float share) = 0;
  virtual void Schedule(Priority priority, int64_t deadline) = 0;
  // Ends the job, successfully or not. Returns what Step returns then.
  virtual Task::Step End(base::Status status) = 0;
};

class Job {
 public:
  virtual ~Job() = default;
  virtual Task::Step Step(JobIo& io) = 0;
  // Called after a step that answered kWaits: see Task::Wait.
  virtual void Wait(std::function<void()> resume) { resume(); }
};

class JobKind {
 public:
  virtual ~JobKind() = default;
  virtual std::string name() const = 0;
  // Like LaneKind::Prepare: on a pool thread, once, when the engine starts.
  virtual base::Status Prepare(Services&) { return base::Ok(); }
  virtual Priority priority(const Options&) const { return Priority::kOffline; }
  // The most memory that one job may hold, besides its models. Jobs beyond the engine's limit are refused. 0
  // for jobs that hold little.
  virtual size_t memory() const { return 0; }
  // Chunks that may wait before the job is parked.
  virtual size_t chunk_limit() const { return 8; }
  // On the JavaScript thread, so it must be short. `options` is valid only during the call; `input` is the
  // job's own copy.
  virtual base::Result<std::unique_ptr<Job>> Open(const Options& options, std::vector<uint8_t> input) = 0;
};

}  // namespace trunkline::engine
