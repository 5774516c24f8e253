// The entry point of noise suppression for people who listen.
#pragma once

#include "enhance/denoiser.h"  // IWYU pragma: export
#include "enhance/dtln.h"      // IWYU pragma: export
