// The entry point of the audio watermark: its embedder and its detectors.
#pragma once

#include "dsp/watermark/detector.h"         // IWYU pragma: export
#include "dsp/watermark/embedder.h"         // IWYU pragma: export
#include "dsp/watermark/pattern.h"          // IWYU pragma: export
#include "dsp/watermark/phrase_detector.h"  // IWYU pragma: export
