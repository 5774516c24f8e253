// Detects hold music on the caller's line; while it plays, speech in it is not addressed to the agent. Media
// thread; no allocation after construction.
#pragma once

#include <array>
#include <optional>

#include "dsp/dsp.h"
#include "lanes/hear/hear.h"

namespace trunkline::omni {

class HoldMusicDetector {
 public:
  HoldMusicDetector();

  struct Change {
    bool playing = false;
    double at_s = 0;  // the stream's time at which the music began or ended
  };
  // Processes the voice detector's audio up to the next change. Returns nothing when there is none yet.
  std::optional<Change> Next(hear::HearAudio& audio);

 private:
  static constexpr size_t kHop = dsp::HeldPitches::kHop;

  std::optional<Change> Frame(std::span<const float> sound, float speech, double end_s);
  // Returns whether a voice is louder than the music, which is then background, and the agent is
  // not on hold.
  bool SpokenOver(float level_dbfs, float speech);

  dsp::Resampler narrow_;
  std::array<float, kHop> hop_ = {};
  dsp::HeldPitches pitches_;
  dsp::MusicWatch music_;
  uint64_t frames_ = 0;
  float level_dbfs_ = -100;
  int over_ = 0;
};

}  // namespace trunkline::omni
