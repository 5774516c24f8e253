// A call's media statistics in the layout of the boundary.
#pragma once

#include <array>

#include "lanes/rtp/sound_quality.h"
#include "lanes/rtp/stream.h"

namespace trunkline::rtp {

// The order of src/media/engine/kinds/rtp.ts. -1 means unknown; without an echo its delay is -1.
inline constexpr size_t kStatistics = 30;
std::array<double, kStatistics> StatisticsOf(Stream& stream, const SoundQuality& quality);

}  // namespace trunkline::rtp
