// The engine as a JavaScript object. Every method is a verb of the boundary; docs/native-boundary.md
// describes them.
#pragma once

#include <napi.h>

#include <memory>

#include "engine/engine.h"

namespace trunkline::binding {

class EngineHandle final : public Napi::ObjectWrap<EngineHandle> {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit EngineHandle(const Napi::CallbackInfo& info);
  ~EngineHandle() override;

  // open(kind, options) -> {status, message, slot, generation}
  Napi::Value Open(const Napi::CallbackInfo& info);
  // givesWay(kind, options, lighterOptions) -> boolean
  Napi::Value GivesWay(const Napi::CallbackInfo& info);
  // push(slot, generation, bytes) -> status code
  Napi::Value Push(const Napi::CallbackInfo& info);
  // pushCarrierJson(slot, generation, bytes) -> status code
  Napi::Value PushCarrierJson(const Napi::CallbackInfo& info);
  // control(slot, generation, verb, bytes) -> status code
  Napi::Value Control(const Napi::CallbackInfo& info);
  // join(slot, generation, slot, generation, firstObserved, secondObserved) -> status code
  Napi::Value Join(const Napi::CallbackInfo& info);
  // part(slot, generation) -> status code
  Napi::Value Part(const Napi::CallbackInfo& info);
  // close(slot, generation, clean) -> status code
  Napi::Value Close(const Napi::CallbackInfo& info);
  // drain(buffer) -> bytes used
  Napi::Value Drain(const Napi::CallbackInfo& info);
  // submit(kind, options, input) -> {status, message, job}
  Napi::Value Submit(const Napi::CallbackInfo& info);
  // cancel(job) -> status code
  Napi::Value Cancel(const Napi::CallbackInfo& info);
  // take(job) -> ArrayBuffer | undefined
  Napi::Value Take(const Napi::CallbackInfo& info);
  // stats() -> object of numbers
  Napi::Value Stats(const Napi::CallbackInfo& info);
  // kinds() -> [{name, lane, readiness, status, message, cost, live}]
  Napi::Value Kinds(const Napi::CallbackInfo& info);
  // destroy()
  Napi::Value DestroyVerb(const Napi::CallbackInfo& info);

 private:
  static void OnCleanup(void* handle);
  static void CallWake(napi_env env, napi_value callback, void* context, void* data);

  void Destroy();
  // Keeps the process alive while a lane or a job lives.
  void HoldLoop();

  std::unique_ptr<engine::Engine> engine_;
  napi_threadsafe_function wake_ = nullptr;
  bool holding_ = false;
  bool hooked_ = false;
};

}  // namespace trunkline::binding
