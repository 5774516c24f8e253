// The addon's entry point, which registers every verb.
#include <napi.h>

#include "binding/engine_handle.h"
#include "binding/verbs.h"

static Napi::Object InitTrunkline(Napi::Env env, Napi::Object exports) {
  trunkline::binding::RegisterReports(env, exports);
  trunkline::binding::RegisterWireAudio(env, exports);
  // new NativeEngine(config, onWake): createEngine, as src/media/engine calls it.
  exports.Set("NativeEngine", trunkline::binding::EngineHandle::Define(env));
  return exports;
}

NODE_API_MODULE(trunkline, InitTrunkline)
