#include <napi.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "base/huge_code.h"
#include "base/listening_socket.h"
#include "base/status.h"
#include "binding/config.h"
#include "binding/guard/guard.h"
#include "binding/values.h"
#include "binding/verbs.h"
#include "engine/engine.h"
#include "lanes/embed/embed.h"
#include "lanes/rtp/rtp.h"

namespace trunkline::binding {
namespace {

// [{code, name, meaning}]: the table of status codes, for the table of errors in TypeScript.
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
  report.Set("avxVnni", cpu.avx_vnni);
  report.Set("amxInt8", cpu.amx_int8);
  report.Set("neon", cpu.neon);
  return report;
}

// telephonyLibraries() -> {opus, srtp}: the libraries that the build found.
Napi::Value TelephonyLibraries(const Napi::CallbackInfo& info) {
  Napi::Object report = Napi::Object::New(info.Env());
  report.Set("opus", rtp::HasOpus());
  report.Set("srtp", rtp::HasSrtp());
  return report;
}

// runtimeInfo(library) -> {status, message, version, providers}: opens the inference library and describes
// it.
Napi::Value RuntimeInfo(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  const engine::LibraryReport library = engine::InspectLibrary(TextOf(info[0]));
  Napi::Object report = Answer(env, library.status);
  report.Set("version", library.version);
  Napi::Array providers = Napi::Array::New(env);
  for (const std::string& provider : library.providers) providers.Set(providers.Length(), provider);
  report.Set("providers", providers);
  return report;
}

// probeCuda(library, device) -> {status, message}: whether a session opens on that device.
Napi::Value ProbeCuda(const Napi::CallbackInfo& info) {
  const int device = static_cast<int>(Uint32Of(info.Env(), info[1]));
  return Answer(info.Env(), engine::ProbeCuda(TextOf(info[0]), device));
}

// inspectModels(config) -> [{name, device, reason, failed, nodes, copies}]: opens every graph as an engine would and closes
// it again.
Napi::Value InspectModels(const Napi::CallbackInfo& info) {
  if (!info[0].IsObject()) return Napi::Array::New(info.Env());
  return PlacementReports(info.Env(), engine::InspectModels(ConfigOf(info[0].As<Napi::Object>())));
}

// codeOnHugePages() -> the bytes of the program's code on huge pages.
Napi::Value CodeOnHugePages(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(base::CodeOnHugePages()));
}

// boundReceive(port, bytes) -> the number of listening sockets that were bounded.
Napi::Value BoundReceive(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  const auto port = static_cast<uint16_t>(Uint32Of(env, info[0]));
  return Napi::Number::New(env, base::BoundReceive(port, static_cast<int>(Uint32Of(env, info[1]))));
}

// guardFrames(library, most) -> the number of the library's calls that are redirected.
Napi::Value GuardFrames(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return Napi::Number::New(env, guard::GuardFrames(TextOf(info[0]), Uint32Of(env, info[1])));
}

// answerUpgrade(begins): this thread's library begins, or has ended, to answer an upgrade.
void AnswerUpgrade(const Napi::CallbackInfo& info) {
  guard::AnswerUpgrade(info[0].ToBoolean());
}

// nearestRows(rows, count, query, most) -> Int32Array of row and dot product in turns, best first.
Napi::Value NearestRows(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  const auto bytes_of = [&](size_t at) {
    const base::MutableBytes bytes = BytesOf(env, info[at]);
    return std::span<const int8_t>(reinterpret_cast<const int8_t*>(bytes.data()), bytes.size());
  };
  const std::span<const int8_t> query = bytes_of(2);
  std::span<const int8_t> rows = bytes_of(0);
  const size_t wanted = size_t{Uint32Of(env, info[1])} * query.size();
  rows = rows.first(std::min(rows.size(), wanted));
  const std::vector<embed::Neighbour> best = embed::Nearest(rows, query, Uint32Of(env, info[3]));
  Napi::Int32Array found = Napi::Int32Array::New(env, 2 * best.size());
  for (size_t i = 0; i < best.size(); ++i) {
    found[2 * i] = static_cast<int32_t>(best[i].row);
    found[2 * i + 1] = best[i].sum;
  }
  return found;
}

}  // namespace

void RegisterReports(Napi::Env env, Napi::Object exports) {
  exports.Set("statusTable", Napi::Function::New(env, StatusTable, "statusTable"));
  exports.Set("cpuFeatures", Napi::Function::New(env, CpuFeatures, "cpuFeatures"));
  exports.Set("telephonyLibraries", Napi::Function::New(env, TelephonyLibraries, "telephonyLibraries"));
  exports.Set("runtimeInfo", Napi::Function::New(env, RuntimeInfo, "runtimeInfo"));
  exports.Set("probeCuda", Napi::Function::New(env, ProbeCuda, "probeCuda"));
  exports.Set("inspectModels", Napi::Function::New(env, InspectModels, "inspectModels"));
  exports.Set("nearestRows", Napi::Function::New(env, NearestRows, "nearestRows"));
  exports.Set("codeOnHugePages", Napi::Function::New(env, CodeOnHugePages, "codeOnHugePages"));
  exports.Set("boundReceive", Napi::Function::New(env, BoundReceive, "boundReceive"));
  exports.Set("guardFrames", Napi::Function::New(env, GuardFrames, "guardFrames"));
  exports.Set("answerUpgrade", Napi::Function::New(env, AnswerUpgrade, "answerUpgrade"));
}

}  // namespace trunkline::binding
