#include "binding/config.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "binding/values.h"

namespace trunkline::binding {

engine::EngineConfig ConfigOf(const Napi::Object& object) {
  engine::EngineConfig config;
  config.slots = Uint32Field(object, "slots", config.slots);
  config.capacity = Uint32Field(object, "capacity", config.capacity);
  config.media_threads = std::max(1u, Uint32Field(object, "mediaThreads", config.media_threads));
  config.inference_threads = std::max(1u, Uint32Field(object, "inferenceThreads", config.inference_threads));
  config.jobs = Uint32Field(object, "jobs", config.jobs);
  config.overflow_ms = Uint32Field(object, "overflowMs", config.overflow_ms);
  config.library = TextOf(object.Get("library"));
  const std::string device = TextOf(object.Get("device"));
  config.device = device == "cuda"  ? onnx::Device::kCuda
                  : device == "cpu" ? onnx::Device::kCpu
                                    : onnx::Device::kAuto;
  config.cuda.device = static_cast<int>(Uint32Field(object, "cudaDevice", 0));
  config.cuda.memory = uint64_t{Uint32Field(object, "cudaMemoryMb", 0)} << 20;
  config.cuda.convolution_search = TextOf(object.Get("cudaConvolutions"));
  for (char& letter : config.cuda.convolution_search) letter = static_cast<char>(std::toupper(letter));
  if (config.cuda.convolution_search.empty()) config.cuda.convolution_search = "HEURISTIC";
  config.models = TextMapField(object, "models");
  config.settings = TextMapField(object, "settings");
  return config;
}

Napi::Array PlacementReports(Napi::Env env, const std::vector<onnx::PlacementReport>& reports) {
  Napi::Array list = Napi::Array::New(env);
  for (const onnx::PlacementReport& report : reports) {
    Napi::Object row = Napi::Object::New(env);
    row.Set("name", report.name);
    row.Set("device", std::string(onnx::DeviceName(report.device)));
    row.Set("reason", report.reason);
    row.Set("failed", report.failed);
    Napi::Object nodes = Napi::Object::New(env);
    for (const auto& [provider, count] : report.counts.nodes) nodes.Set(provider, count);
    row.Set("nodes", nodes);
    row.Set("copies", report.counts.copies);
    list.Set(list.Length(), row);
  }
  return list;
}

}  // namespace trunkline::binding
