// What an engine is made with. TypeScript has checked it; the engine clamps what its memory safety needs.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "onnx/onnx.h"

namespace trunkline::engine {

struct EngineConfig {
  // Lanes that can live at once.
  uint32_t slots = 256;
  // Thousandths of a core that lanes may take together; a lane that would go beyond is refused with
  // `capacity`.
  uint32_t capacity = 1000;
  // The same while models run on a GPU; 0: as on the CPU. A GPU that fails brings the limit back to
  // `capacity`.
  uint32_t cuda_capacity = 0;
  // 0: nothing runs by itself; the owner calls Tick and RunTask (tests).
  uint32_t media_threads = 1;
  uint32_t inference_threads = 1;
  // Jobs that live at once.
  uint32_t jobs = 256;
  // Bytes that they may hold together, by what their kinds say of themselves.
  size_t job_memory = size_t{1} << 30;
  // How long a lane may fail to write because nobody drains.
  uint32_t overflow_ms = 5000;
  // The inference library; empty: kinds that need it are not ready.
  std::string library;
  onnx::Device device = onnx::Device::kAuto;
  int cuda_device = 0;
  // Manifest name of a model's file -> its path.
  std::map<std::string, std::string> models;
  // Settings for one kind, as "kind.setting".
  std::map<std::string, std::string> settings;
};

}  // namespace trunkline::engine
