// What a stream of speech costs on this machine, for admission.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "engine/hear_models.h"

namespace trunkline::engine {

// Thousandths of a core that a stream needs whose caller speaks without rest, with as few partials as it may
// be given under load. Runs each model once, a quarter of a second or so, and counts this thread's processor
// time alone: whatever else the machine does now is not the stream's.
base::Result<uint32_t> MeasureHearCost(HearModels& models);

}  // namespace trunkline::engine
