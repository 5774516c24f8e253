// The denoiser's model, opened once and shared by the kinds that use it.
#pragma once

#include <memory>

#include "base/status.h"
#include "engine/engine.h"
#include "enhance/enhance.h"

namespace trunkline::denoise {

// Returns kNotReady where the model's file is missing, and kBadModel where another model is in its place.
base::Result<std::shared_ptr<const enhance::Dtln>> OpenDenoiser(engine::Services& services);

}  // namespace trunkline::denoise
