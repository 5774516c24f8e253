#include "amd/sound_bursts.h"

#include <algorithm>

namespace trunkline::amd {

std::optional<SoundBurst> SoundBursts::Frame(float level_dbfs, float floor_dbfs, bool speech,
                                             double start_s) {
  if (level_dbfs > std::max(floor_dbfs, kQuietDbfs) + kAboveDb) {
    if (frames_++ == 0) {
      since_s_ = start_s;
      spoken_ = false;
    }
    spoken_ = spoken_ || speech;
    return std::nullopt;
  }
  const bool burst = frames_ >= kLeastFrames && frames_ <= kMostFrames && !spoken_;
  frames_ = 0;
  if (!burst) return std::nullopt;
  return SoundBurst{since_s_, start_s};
}

}  // namespace trunkline::amd
