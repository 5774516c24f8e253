// Noise suppression as a lane, and the model that other kinds share.
#pragma once

#include "lanes/denoise/lane.h"   // IWYU pragma: export
#include "lanes/denoise/model.h"  // IWYU pragma: export
