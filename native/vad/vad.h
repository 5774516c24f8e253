// The entry point of voice activity detection and endpointing.
#pragma once

#include "vad/endpointer.h"  // IWYU pragma: export
#include "vad/recording.h"   // IWYU pragma: export
#include "vad/silero.h"      // IWYU pragma: export
#include "vad/smart_turn.h"  // IWYU pragma: export
