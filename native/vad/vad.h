// The door of voice activity: whether somebody speaks, and when they have ended.
#pragma once

#include "vad/endpointer.h"  // IWYU pragma: export
#include "vad/recording.h"   // IWYU pragma: export
#include "vad/silero.h"      // IWYU pragma: export
#include "vad/smart_turn.h"  // IWYU pragma: export
