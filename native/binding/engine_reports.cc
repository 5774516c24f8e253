// The verbs that report the engine's state. They are rarely called and may allocate.
#include <string>

#include "binding/config.h"
#include "binding/engine_handle.h"
#include "binding/values.h"

namespace trunkline::binding {
namespace {

constexpr const char* kReadiness[] = {"preparing", "ready", "failed"};
constexpr const char* kClasses[engine::kPriorities] = {"turnTaking", "firstAudio", "partial", "audio",
                                                       "offline"};
constexpr double kNanosPerMilli = 1e6;

void SetNumber(Napi::Object& object, const char* name, double value) {
  object.Set(name, value);
}

Napi::Object PoolReport(Napi::Env env, const engine::PoolStats& pool) {
  Napi::Object report = Napi::Object::New(env);
  SetNumber(report, "running", pool.running);
  for (size_t i = 0; i < engine::kPriorities; ++i) {
    Napi::Object row = Napi::Object::New(env);
    SetNumber(row, "waiting", pool.waiting[i]);
    SetNumber(row, "done", static_cast<double>(pool.done[i]));
    SetNumber(row, "lastWaitMs", static_cast<double>(pool.wait_nanos[i]) / kNanosPerMilli);
    report.Set(kClasses[i], row);
  }
  return report;
}

}  // namespace

Napi::Value EngineHandle::Stats(const Napi::CallbackInfo&) {
  Napi::Object report = Napi::Object::New(Env());
  if (!engine_) return report;
  const engine::EngineStats stats = engine_->stats();
  SetNumber(report, "slots", stats.slots);
  SetNumber(report, "lanes", stats.lanes);
  SetNumber(report, "jobs", stats.jobs);
  Napi::Object memory = Napi::Object::New(Env());
  SetNumber(memory, "jobs", static_cast<double>(stats.memory.jobs));
  SetNumber(memory, "generator", static_cast<double>(stats.memory.generator));
  SetNumber(memory, "models", static_cast<double>(stats.memory.models));
  SetNumber(memory, "rings", static_cast<double>(stats.memory.rings));
  SetNumber(memory, "heapUsed", static_cast<double>(stats.memory.heap.used));
  SetNumber(memory, "heapKept", static_cast<double>(stats.memory.heap.retained));
  SetNumber(memory, "heapMapped", static_cast<double>(stats.memory.heap.mapped));
  report.Set("memory", memory);
  SetNumber(report, "capacity", stats.capacity);
  SetNumber(report, "used", stats.used);
  SetNumber(report, "pushed", static_cast<double>(stats.traffic.pushed));
  SetNumber(report, "refused", static_cast<double>(stats.traffic.refused));
  SetNumber(report, "stale", static_cast<double>(stats.traffic.stale));
  SetNumber(report, "drains", static_cast<double>(stats.traffic.drains));
  SetNumber(report, "drainedBytes", static_cast<double>(stats.traffic.drained_bytes));
  SetNumber(report, "wakes", static_cast<double>(stats.wakes));
  SetNumber(report, "ticks", static_cast<double>(stats.media.ticks));
  SetNumber(report, "missedTicks", static_cast<double>(stats.media.missed));
  SetNumber(report, "longestTickMs", static_cast<double>(stats.media.longest_nanos) / kNanosPerMilli);
  SetNumber(report, "tickMs", static_cast<double>(stats.media.total_nanos) / kNanosPerMilli);
  report.Set("device", std::string(onnx::DeviceName(engine_->services().device())));
  report.Set("deviceFallback", engine_->services().device_fallback());
  report.Set("models", PlacementReports(Env(), engine_->services().placements()));
  report.Set("pool", PoolReport(Env(), stats.pool));
  return report;
}

Napi::Value EngineHandle::Kinds(const Napi::CallbackInfo&) {
  Napi::Array list = Napi::Array::New(Env());
  if (!engine_) return list;
  for (const engine::KindReport& kind : engine_->kinds()) {
    Napi::Object row = Answer(Env(), kind.status);
    row.Set("name", kind.name);
    row.Set("lane", kind.lane);
    row.Set("readiness", kReadiness[static_cast<size_t>(kind.readiness)]);
    SetNumber(row, "cost", kind.cost);
    SetNumber(row, "live", kind.live);
    Napi::Object counts = Napi::Object::New(Env());
    for (const auto& [name, value] : kind.counts) SetNumber(counts, name, value);
    row.Set("counts", counts);
    row.Set("gpuFull", kind.gpu_full);
    list.Set(list.Length(), row);
  }
  return list;
}

}  // namespace trunkline::binding
