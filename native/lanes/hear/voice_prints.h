// The model of speakers' voices, opened once and shared by the kinds that use it.
#pragma once

#include <memory>

#include "base/status.h"
#include "engine/engine.h"
#include "speaker/speaker.h"

namespace trunkline::hear {

// Returns kNotReady where the model's file is missing, and kBadModel where another model is in its place.
base::Result<std::shared_ptr<const speaker::Campplus>> OpenVoicePrints(engine::Services& services);

}  // namespace trunkline::hear
