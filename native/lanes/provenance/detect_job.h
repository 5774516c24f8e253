// The job "read_mark": PCM16 of one channel at watermark::kDetectionRate in, and one chunk of little-endian f32 out: windows (whole ones,
// halves, and those of lines that begin the pattern anew), then of the window that says the most the second at which it begins, Detection's whole, common, tag and speed, and its
// bits.
// Options: code (watermark::ParseWatermarkCode), every (seconds between windows).
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::provenance {

std::shared_ptr<engine::JobKind> MakeDetectWatermarkKind();

}  // namespace trunkline::provenance
