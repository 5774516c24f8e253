// The door of marks: what tells a made voice from a person's, put into its sound and found again.
#pragma once

#include "dsp/watermark/phrase_detector.h"  // IWYU pragma: export
#include "dsp/watermark/embedder.h"       // IWYU pragma: export
#include "dsp/watermark/pattern.h"      // IWYU pragma: export
#include "dsp/watermark/detector.h"       // IWYU pragma: export
