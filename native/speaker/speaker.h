// The entry point of speakers: who speaks when, and vectors of voices.
#pragma once

#include "speaker/diarizer.h"         // IWYU pragma: export
#include "speaker/embedder.h"         // IWYU pragma: export
#include "speaker/fbank.h"            // IWYU pragma: export
#include "speaker/mel.h"              // IWYU pragma: export
#include "speaker/segmentation.h"     // IWYU pragma: export
#include "speaker/speaker_encoder.h"  // IWYU pragma: export
