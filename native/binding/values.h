// Reads JavaScript values without throwing: a value of another type reads as absent, and the engine checks
// the rest.
#pragma once

#include <napi.h>

#include <map>
#include <string>

#include "base/bytes.h"
#include "base/status.h"

namespace trunkline::binding {

// A typed array, a Buffer, a DataView or an ArrayBuffer, in place. Valid until JavaScript runs again.
inline base::MutableBytes BytesOf(napi_env env, napi_value value) {
  void* data = nullptr;
  size_t size = 0;
  bool is = false;
  if (napi_is_typedarray(env, value, &is) == napi_ok && is) {
    napi_typedarray_type type;
    size_t length = 0;
    if (napi_get_typedarray_info(env, value, &type, &length, &data, nullptr, nullptr) != napi_ok) return {};
    constexpr size_t kSizes[] = {1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8};
    size = length * kSizes[type];
  } else if (napi_is_arraybuffer(env, value, &is) == napi_ok && is) {
    if (napi_get_arraybuffer_info(env, value, &data, &size) != napi_ok) return {};
  }
  return {static_cast<uint8_t*>(data), data == nullptr ? 0 : size};
}

inline uint32_t Uint32Of(napi_env env, napi_value value) {
  uint32_t number = 0;
  return napi_get_value_uint32(env, value, &number) == napi_ok ? number : 0;
}

inline double DoubleOf(napi_env env, napi_value value) {
  double number = 0;
  return napi_get_value_double(env, value, &number) == napi_ok ? number : 0;
}

inline std::string TextOf(Napi::Value value) {
  return value.IsString() ? value.As<Napi::String>().Utf8Value() : std::string();
}

inline uint32_t Uint32Field(const Napi::Object& object, const char* name, uint32_t otherwise) {
  const Napi::Value value = object.Get(name);
  return value.IsNumber() ? value.As<Napi::Number>().Uint32Value() : otherwise;
}

inline std::map<std::string, std::string> TextMapField(const Napi::Object& object, const char* name) {
  std::map<std::string, std::string> map;
  const Napi::Value value = object.Get(name);
  if (!value.IsObject()) return map;
  const Napi::Object entries = value.As<Napi::Object>();
  const Napi::Array keys = entries.GetPropertyNames();
  for (uint32_t i = 0; i < keys.Length(); ++i) {
    const Napi::Value key = keys.Get(i);
    map.emplace(TextOf(key), TextOf(entries.Get(key)));
  }
  return map;
}

// {status, message}: the answer of every verb that has a message.
inline Napi::Object Answer(Napi::Env env, const base::Status& status) {
  Napi::Object answer = Napi::Object::New(env);
  answer.Set("status", static_cast<int32_t>(status.code()));
  answer.Set("message", status.message());
  return answer;
}

}  // namespace trunkline::binding
