// The job "read_mark" looks for a watermark. Input: PCM16 of one channel at watermark::kDetectionRate.
// Result: one chunk of little-endian f32: the number of windows (whole ones, halves, and those of phrases),
// then of the window with the best score the second at which it begins, Detection's whole, common, tag and
// speed, and its bits. Options: code (watermark::ParseWatermarkCode), every (seconds between windows).
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::provenance {

std::shared_ptr<engine::JobKind> MakeDetectWatermarkKind();

}  // namespace trunkline::provenance
