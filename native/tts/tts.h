// The entry point of speech synthesis.
#pragma once

#include "tts/cached_synthesis.h"  // IWYU pragma: export
#include "tts/encoder.h"           // IWYU pragma: export
#include "tts/sound_cache.h"       // IWYU pragma: export
#include "tts/speech_models.h"     // IWYU pragma: export
#include "tts/synthesis.h"         // IWYU pragma: export
#include "tts/voice_fit.h"         // IWYU pragma: export
#include "tts/voice_learner.h"     // IWYU pragma: export
