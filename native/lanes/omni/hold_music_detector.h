// Music on the caller's line: the agent is on hold while it plays, and nobody who is heard in it speaks to it.
// Media thread; no allocation after construction.
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
    double at_s = 0;  // of the stream: where the music began or ended
  };
  // Goes on through what the detector of speech has heard, to the next change; empty: there is none so far.
  std::optional<Change> Next(hear::HearAudio& audio);

 private:
  static constexpr size_t kHop = dsp::HeldPitches::kHop;

  std::optional<Change> Frame(std::span<const float> sound, float speech, double end_s);
  // Somebody speaks who is louder than the music: it is behind them, and they are not on hold.
  bool SpokenOver(float level_dbfs, float speech);

  dsp::Resampler narrow_;
  std::array<float, kHop> hop_ = {};
  dsp::HeldPitches pitches_;
  dsp::MusicWatch music_;
  uint64_t frames_ = 0;
  float level_dbfs_ = -100;  // of what sounds, speech that stands out of it left aside
  int over_ = 0;
};

}  // namespace trunkline::omni
