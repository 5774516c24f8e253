// One registration function for each file of verbs.
#pragma once

#include <napi.h>

namespace trunkline::binding {

// statusTable, cpuFeatures, runtimeInfo, probeCuda: what `doctor` prints; boundReceive, guardFrames and
// answerUpgrade for the listener; nearestRows for knowledge bases; codeOnHugePages for a server process.
void RegisterReports(Napi::Env env, Napi::Object exports);

// convertAudio, mixAudio, measureAudio, addAudio, addTone, downmixAudio, floatAudio and resampleAudio.
void RegisterWireAudio(Napi::Env env, Napi::Object exports);

}  // namespace trunkline::binding
