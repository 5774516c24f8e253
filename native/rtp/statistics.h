// A call's media in numbers, as they cross to JavaScript.
#pragma once

#include <array>

#include "rtp/stream.h"

namespace trunkline::rtp {

// The order of src/engine/kinds/rtp.ts. -1: not known.
inline constexpr size_t kStatistics = 26;
std::array<double, kStatistics> StatisticsOf(Stream& stream);

}  // namespace trunkline::rtp
