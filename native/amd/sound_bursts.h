// Short sounds that stand out of a line's quiet and in which voice activity hears no speech: a word said
// faintly, or far too short. They say that somebody is there, not who. Realtime; time is the stream's own.
#pragma once

#include <cstdint>
#include <optional>

namespace trunkline::amd {

struct SoundBurst {
  double from_s = 0, to_s = 0;
};

class SoundBursts {
 public:
  // Out of the noise of the line; a line that is digitally silent counts as this loud.
  static constexpr float kAboveDb = 15, kQuietDbfs = -65;
  // Shorter is a click, longer a tone or noise that begins.
  static constexpr int kLeastFrames = 5, kMostFrames = 40;

  // The frame that begins at `start_s`; the burst that ended with the frame before it.
  std::optional<SoundBurst> Frame(float level_dbfs, float floor_dbfs, bool speech, double start_s);

 private:
  int frames_ = 0;
  bool spoken_ = false;  // voice activity has heard speech in it
  double since_s_ = 0;
};

}  // namespace trunkline::amd
