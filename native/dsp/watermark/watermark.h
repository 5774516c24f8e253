// The door of marks: what tells a made voice from a person's, put into its sound and found again.
#pragma once

#include "dsp/watermark/line_reader.h"  // IWYU pragma: export
#include "dsp/watermark/marker.h"       // IWYU pragma: export
#include "dsp/watermark/pattern.h"      // IWYU pragma: export
#include "dsp/watermark/reader.h"       // IWYU pragma: export
