// Whether the agent is ducked before anything is suspected: at a sound that stands out of the line's noise
// and of which the voice detector doesn't say yet that it is no voice. Media thread; no allocation; time is
// the media clock in milliseconds.
//
// To lower the agent costs little where it was wrong, and a caller who means it hears at once that they were
// heard; what the sound was is decided later and as carefully as without it. A sound of which nothing came
// gives the agent back soon, and for a while after that only a suspicion lowers it: noise must not keep it
// down.
#pragma once

#include <cstdint>

#include "base/speech_thresholds.h"

namespace trunkline::omni {

struct DuckOptions {
  // Above the noise of the line, and at least; for how long.
  float above_db = 12;
  float gate_dbfs = -46;
  int64_t least_ms = 40;
  // What the voice detector must say of a frame of it.
  float possible = 0.1f;
  // If nothing came of it by then, it was nothing; while the last frame reaches `likely`, a little later.
  int64_t hold_ms = 160;
  float likely = base::kSpeechHoldProbability;
  int64_t likely_hold_ms = 240;
  // Then it rests, twice as long each time.
  int64_t rest_ms = 1000;
  int64_t most_rest_ms = 16'000;
};

class DuckTrigger {
 public:
  enum class Step : uint8_t { kNone, kDuck, kUnduck };

  explicit DuckTrigger(const DuckOptions& options) : options_(options) {}

  // Once a tick, whatever the agent does. `frames`: of the voice detector, so far; `echo_dbfs`: a sound below
  // may be the agent's own.
  void Listen(int64_t now_ms, float level_dbfs, float echo_dbfs, uint64_t frames, float probability);
  // Once a tick in which the agent is heard and nothing is suspected.
  Step Decide(int64_t now_ms);
  // A suspicion has taken over: it gives back what was ducked.
  void TakenOver() { ducked_ = false; }
  // The sound that was suspected was a caller who meant it: the next one is heard at once again.
  void WasRight() { rest_ms_ = rests_until_ms_ = 0; }
  bool ducked() const { return ducked_; }

 private:
  void FollowNoise(float level_dbfs);

  DuckOptions options_;
  float noise_dbfs_;
  bool heard_ = false;
  int64_t since_ms_ = -1;  // of the sound that stands out now
  int64_t last_ms_ = 0;
  uint64_t frames_ = 0;
  bool possible_ = false;  // a frame of it was
  bool likely_ = false;    // the last one is
  bool ducked_ = false;
  bool spent_ = false;  // this sound has ducked the agent before
  int64_t ducked_ms_ = 0;
  int64_t rests_until_ms_ = 0;
  int64_t rest_ms_ = 0;
};

}  // namespace trunkline::omni
