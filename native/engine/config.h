// The configuration of an engine. TypeScript has checked it; the engine clamps what its memory safety needs.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "onnx/onnx.h"

namespace trunkline::engine {

struct EngineConfig {
  uint32_t slots = 256;
  // Thousandths of a core for all lanes; a lane beyond the limit is refused with `capacity`.
  uint32_t capacity = 1000;
  // 0: no threads; the owner calls Tick and RunTask (tests).
  uint32_t media_threads = 1;
  uint32_t inference_threads = 1;
  uint32_t jobs = 256;
  // The bytes of all jobs together, as their kinds declare them.
  size_t job_memory = size_t{1} << 30;
  // A lane that has failed to write for this long, because JavaScript does not drain, is closed.
  uint32_t overflow_ms = 5000;
  // The path of the inference library; without it, kinds that need it are not ready.
  std::string library;
  onnx::Device device = onnx::Device::kAuto;
  onnx::CudaSettings cuda;
  // The paths of the models' files by their names in the manifest.
  std::map<std::string, std::string> models;
  // Settings of kinds, as "kind.setting".
  std::map<std::string, std::string> settings;
};

}  // namespace trunkline::engine
