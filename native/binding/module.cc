// The addon's door: every verb is registered here.
#include <napi.h>

#include "binding/verbs.h"

namespace trunkline::binding {
namespace {

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  RegisterReports(env, exports);
  return exports;
}

}  // namespace
}  // namespace trunkline::binding

static Napi::Object InitTrunkline(Napi::Env env, Napi::Object exports) {
  return trunkline::binding::Init(env, exports);
}

NODE_API_MODULE(trunkline, InitTrunkline)
