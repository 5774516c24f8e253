// The entry point of recognition.
#pragma once

#include "asr/moonshine.h"          // IWYU pragma: export
#include "asr/recognizer_device.h"  // IWYU pragma: export
#include "asr/segmenter.h"          // IWYU pragma: export
#include "asr/split_point.h"        // IWYU pragma: export
#include "asr/stable_prefix.h"      // IWYU pragma: export
#include "asr/transcriber.h"        // IWYU pragma: export
#include "asr/vocabulary.h"         // IWYU pragma: export
#include "asr/whisper_features.h"   // IWYU pragma: export
#include "asr/whisper_model.h"      // IWYU pragma: export
#include "asr/word_times.h"         // IWYU pragma: export
