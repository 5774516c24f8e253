#include <napi.h>

#include "base/cpu.h"
#include "base/status.h"
#include "binding/verbs.h"
#include "engine/runtime_report.h"

namespace trunkline::binding {
namespace {

// [{code, name, meaning}]: the one table of status codes, for the one table of errors in TypeScript.
Napi::Value StatusTable(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Napi::Array table = Napi::Array::New(env);
  uint32_t index = 0;
  for (const base::CodeEntry& entry : base::kCodes) {
    Napi::Object row = Napi::Object::New(env);
    row.Set("code", static_cast<int32_t>(entry.code));
    row.Set("name", std::string(entry.name));
    row.Set("meaning", std::string(entry.meaning));
    table.Set(index++, row);
  }
  return table;
}

Napi::Value CpuFeatures(const Napi::CallbackInfo& info) {
  const base::CpuFeatures& cpu = base::Cpu();
  Napi::Object report = Napi::Object::New(info.Env());
  report.Set("kernels", std::string(cpu.kernels()));
  report.Set("avx2", cpu.avx2);
  report.Set("avx512", cpu.avx512);
  report.Set("avx512Vnni", cpu.avx512_vnni);
  report.Set("amxInt8", cpu.amx_int8);
  report.Set("neon", cpu.neon);
  return report;
}

// runtimeInfo(library) -> {status, message, version, providers}: opens the inference library and says what it
// is.
Napi::Value RuntimeInfo(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Napi::Object report = Napi::Object::New(env);
  const std::string library = info[0].IsString() ? info[0].As<Napi::String>().Utf8Value() : std::string();
  const engine::RuntimeReport runtime = engine::DescribeRuntime(library);
  report.Set("status", static_cast<int32_t>(runtime.status.code()));
  report.Set("message", runtime.status.message());
  if (runtime.status.ok()) report.Set("version", runtime.version);
  Napi::Array providers = Napi::Array::New(env);
  for (const std::string& provider : runtime.providers) providers.Set(providers.Length(), provider);
  report.Set("providers", providers);
  return report;
}

}  // namespace

void RegisterReports(Napi::Env env, Napi::Object exports) {
  exports.Set("statusTable", Napi::Function::New(env, StatusTable, "statusTable"));
  exports.Set("cpuFeatures", Napi::Function::New(env, CpuFeatures, "cpuFeatures"));
  exports.Set("runtimeInfo", Napi::Function::New(env, RuntimeInfo, "runtimeInfo"));
}

}  // namespace trunkline::binding
