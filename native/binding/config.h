// Reads the engine's configuration, and reports where models run.
#pragma once

#include <napi.h>

#include <vector>

#include "engine/engine.h"

namespace trunkline::binding {

engine::EngineConfig ConfigOf(const Napi::Object& object);

// [{name, device, reason, failed, nodes, copies}]
Napi::Array PlacementReports(Napi::Env env, const std::vector<onnx::PlacementReport>& reports);

}  // namespace trunkline::binding
