#include "binding/engine_handle.h"

#include <string>
#include <vector>

#include "binding/config.h"
#include "binding/kinds.h"
#include "binding/values.h"

namespace trunkline::binding {

using base::ByteView;
using base::Status;
using engine::Engine;
using engine::LaneId;

namespace {

// A smaller chunk is copied, because an external buffer costs more.
constexpr size_t kExternalFrom = 16 * 1024;

Napi::Number CodeOf(Napi::Env env, base::Code code) {
  return Napi::Number::New(env, static_cast<int32_t>(code));
}

}  // namespace

Napi::Function EngineHandle::Define(Napi::Env env) {
  return DefineClass(env, "NativeEngine",
                     {
                         InstanceMethod<&EngineHandle::Open>("open"),
                         InstanceMethod<&EngineHandle::GivesWay>("givesWay"),
                         InstanceMethod<&EngineHandle::Push>("push"),
                         InstanceMethod<&EngineHandle::PushCarrierJson>("pushCarrierJson"),
                         InstanceMethod<&EngineHandle::Control>("control"),
                         InstanceMethod<&EngineHandle::Join>("join"),
                         InstanceMethod<&EngineHandle::Part>("part"),
                         InstanceMethod<&EngineHandle::Close>("close"),
                         InstanceMethod<&EngineHandle::Drain>("drain"),
                         InstanceMethod<&EngineHandle::Submit>("submit"),
                         InstanceMethod<&EngineHandle::Cancel>("cancel"),
                         InstanceMethod<&EngineHandle::Take>("take"),
                         InstanceMethod<&EngineHandle::Stats>("stats"),
                         InstanceMethod<&EngineHandle::Kinds>("kinds"),
                         InstanceMethod<&EngineHandle::DestroyVerb>("destroy"),
                     });
}

EngineHandle::EngineHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<EngineHandle>(info) {
  Napi::Env env = info.Env();
  if (!info[0].IsObject() || !info[1].IsFunction()) return;  // every verb answers `closed`
  napi_value name = Napi::String::New(env, "trunkline");
  if (napi_create_threadsafe_function(env, info[1], nullptr, name, 0, 1, nullptr, nullptr, this, CallWake,
                                      &wake_) != napi_ok) {
    return;
  }
  napi_unref_threadsafe_function(env, wake_);
  try {
    engine_ = std::make_unique<Engine>(ConfigOf(info[0].As<Napi::Object>()), AllKinds(), [wake = wake_] {
      napi_call_threadsafe_function(wake, nullptr, napi_tsfn_nonblocking);
    });
  } catch (...) {
    napi_release_threadsafe_function(wake_, napi_tsfn_abort);
    wake_ = nullptr;
    return;
  }
  // The hook runs before the environment removes the thread-safe function, because it was added after it: at
  // the end of a worker thread, or of the process while lanes live.
  hooked_ = napi_add_env_cleanup_hook(env, OnCleanup, this) == napi_ok;
  HoldLoop();
}

EngineHandle::~EngineHandle() {
  Destroy();
}

void EngineHandle::OnCleanup(void* handle) {
  static_cast<EngineHandle*>(handle)->hooked_ = false;  // the environment has removed a hook that runs
  static_cast<EngineHandle*>(handle)->Destroy();
}

void EngineHandle::Destroy() {
  if (hooked_) napi_remove_env_cleanup_hook(Env(), OnCleanup, this);
  hooked_ = false;
  if (engine_) engine_->Destroy();  // no wake comes after this
  if (wake_ != nullptr) napi_release_threadsafe_function(wake_, napi_tsfn_abort);
  wake_ = nullptr;
  holding_ = false;
}

void EngineHandle::CallWake(napi_env env, napi_value callback, void* context, void*) {
  if (env == nullptr) return;  // the function is being torn down; the context may be gone
  auto* handle = static_cast<EngineHandle*>(context);
  if (!handle->engine_ || handle->engine_->destroyed()) return;
  handle->engine_->ClearWake();
  napi_value undefined = nullptr;
  napi_get_undefined(env, &undefined);
  if (napi_call_function(env, undefined, callback, 0, nullptr, nullptr) != napi_pending_exception) return;
  // A callback that throws must not end the process. src/media/engine catches and reports errors; this is the
  // last resort.
  napi_value error = nullptr;
  napi_get_and_clear_last_exception(env, &error);
}

void EngineHandle::HoldLoop() {
  const bool hold = engine_ && !engine_->destroyed() && !engine_->idle();
  if (hold == holding_ || wake_ == nullptr) return;
  holding_ = hold;
  if (hold) {
    napi_ref_threadsafe_function(Env(), wake_);
  } else {
    napi_unref_threadsafe_function(Env(), wake_);
  }
}

Napi::Value EngineHandle::Open(const Napi::CallbackInfo& info) {
  base::Result<LaneId> opened = Status(base::Code::kClosed);
  try {
    if (engine_) opened = engine_->Open(TextOf(info[0]), BytesOf(Env(), info[1]));
  } catch (const std::bad_alloc&) {
    opened = Status(base::Code::kOutOfMemory);
  } catch (...) {
    opened = Status(base::Code::kInternal);
  }
  Napi::Object answer = Answer(Env(), opened.status());
  if (!opened.ok()) return answer;
  answer.Set("slot", opened->slot);
  answer.Set("generation", opened->generation);
  HoldLoop();
  return answer;
}

Napi::Value EngineHandle::GivesWay(const Napi::CallbackInfo& info) {
  bool gives_way = false;
  try {
    if (engine_) {
      gives_way = engine_->GivesWay(TextOf(info[0]), BytesOf(Env(), info[1]), BytesOf(Env(), info[2]));
    }
  } catch (const std::bad_alloc&) {  // the lane is opened as requested, and its answer names the failure
  }
  return Napi::Boolean::New(Env(), gives_way);
}

Napi::Value EngineHandle::Push(const Napi::CallbackInfo& info) {
  if (!engine_) return CodeOf(Env(), base::Code::kClosed);
  const LaneId lane{Uint32Of(Env(), info[0]), Uint32Of(Env(), info[1])};
  return CodeOf(Env(), engine_->Push(lane, BytesOf(Env(), info[2])));
}

Napi::Value EngineHandle::PushCarrierJson(const Napi::CallbackInfo& info) {
  if (!engine_) return CodeOf(Env(), base::Code::kClosed);
  const LaneId lane{Uint32Of(Env(), info[0]), Uint32Of(Env(), info[1])};
  return CodeOf(Env(), engine_->PushCarrierJson(lane, BytesOf(Env(), info[2])));
}

Napi::Value EngineHandle::Control(const Napi::CallbackInfo& info) {
  if (!engine_) return CodeOf(Env(), base::Code::kClosed);
  const LaneId lane{Uint32Of(Env(), info[0]), Uint32Of(Env(), info[1])};
  const uint16_t verb = static_cast<uint16_t>(Uint32Of(Env(), info[2]));
  return CodeOf(Env(), engine_->Control(lane, verb, BytesOf(Env(), info[3])));
}

Napi::Value EngineHandle::Join(const Napi::CallbackInfo& info) {
  if (!engine_) return CodeOf(Env(), base::Code::kClosed);
  const LaneId first{Uint32Of(Env(), info[0]), Uint32Of(Env(), info[1])};
  const LaneId second{Uint32Of(Env(), info[2]), Uint32Of(Env(), info[3])};
  try {
    return CodeOf(Env(), engine_->Join(first, second, info[4].ToBoolean(), info[5].ToBoolean()));
  } catch (...) {
    return CodeOf(Env(), base::Code::kOutOfMemory);
  }
}

Napi::Value EngineHandle::Part(const Napi::CallbackInfo& info) {
  if (!engine_) return CodeOf(Env(), base::Code::kClosed);
  return CodeOf(Env(), engine_->Part({Uint32Of(Env(), info[0]), Uint32Of(Env(), info[1])}));
}

Napi::Value EngineHandle::Close(const Napi::CallbackInfo& info) {
  if (!engine_) return CodeOf(Env(), base::Code::kClosed);
  const LaneId lane{Uint32Of(Env(), info[0]), Uint32Of(Env(), info[1])};
  return CodeOf(Env(), engine_->Close(lane, info[2].ToBoolean()));
}

Napi::Value EngineHandle::Drain(const Napi::CallbackInfo& info) {
  size_t used = 0;
  try {
    if (engine_) used = engine_->Drain(BytesOf(Env(), info[0]));
  } catch (...) {
    used = 0;  // memory ran out while lanes were freed: the records stay for the next drain
  }
  HoldLoop();
  return Napi::Number::New(Env(), static_cast<double>(used));
}

Napi::Value EngineHandle::Submit(const Napi::CallbackInfo& info) {
  base::Result<uint32_t> job = Status(base::Code::kClosed);
  try {
    const base::MutableBytes input = BytesOf(Env(), info[2]);
    if (engine_) {
      job = engine_->Submit(TextOf(info[0]), BytesOf(Env(), info[1]),
                            std::vector<uint8_t>(input.begin(), input.end()));
    }
  } catch (const std::bad_alloc&) {
    job = Status(base::Code::kOutOfMemory);
  } catch (...) {
    job = Status(base::Code::kInternal);
  }
  Napi::Object answer = Answer(Env(), job.status());
  if (job.ok()) answer.Set("job", *job);
  HoldLoop();
  return answer;
}

Napi::Value EngineHandle::Cancel(const Napi::CallbackInfo& info) {
  return CodeOf(Env(), engine_ ? engine_->Cancel(Uint32Of(Env(), info[0])) : base::Code::kClosed);
}

Napi::Value EngineHandle::Take(const Napi::CallbackInfo& info) {
  engine::Chunk chunk;
  if (!engine_ || engine_->destroyed() || !engine_->Take(Uint32Of(Env(), info[0]), chunk))
    return Env().Undefined();
  HoldLoop();
  if (chunk.size() < kExternalFrom) {
    Napi::ArrayBuffer copy = Napi::ArrayBuffer::New(Env(), chunk.size());
    if (!chunk.empty()) std::memcpy(copy.Data(), chunk.data(), chunk.size());
    return copy;
  }
  auto* owned = new engine::Chunk(std::move(chunk));
  return Napi::ArrayBuffer::New(
      Env(), owned->data(), owned->size(), [](Napi::Env, void*, engine::Chunk* done) { delete done; }, owned);
}

Napi::Value EngineHandle::DestroyVerb(const Napi::CallbackInfo&) {
  Destroy();
  return Env().Undefined();
}

}  // namespace trunkline::binding
