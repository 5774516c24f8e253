// Ducks the agent before an interruption is suspected: at a sound that stands out of the line's noise and
// that the voice detector does not rule out. Media thread; no allocation; time is the media clock in
// milliseconds.
//
// A wrong duck costs little, and a caller who means it hears at once that the agent gives way; the decision
// about the sound follows later. A sound of which nothing came unducks the agent soon, and for a while after
// it only a suspicion ducks, so that noise does not keep the agent quiet.
#pragma once

#include <cstdint>

#include "base/speech_thresholds.h"

namespace trunkline::omni {

struct DuckOptions {
  // The level above the noise, the least level, and the least duration.
  float above_db = 12;
  float gate_dbfs = -46;
  int64_t min_ms = 40;
  // The speech probability that a frame of the sound must reach.
  float possible = 0.1f;
  // The agent is unducked after this time; later while the last frame reaches `likely`.
  int64_t hold_ms = 160;
  float likely = base::kSpeechHoldProbability;
  int64_t likely_hold_ms = 240;
  // The pause before the next duck; it doubles each time.
  int64_t pause_ms = 1000;
  int64_t max_pause_ms = 16'000;
};

class DuckTrigger {
 public:
  enum class Step : uint8_t { kNone, kDuck, kUnduck };

  explicit DuckTrigger(const DuckOptions& options) : options_(options) {}

  // Called once a tick in any case. `frames` is the voice detector's frame count; a sound below `echo_dbfs`
  // may be the agent's own.
  void Listen(int64_t now_ms, float level_dbfs, float echo_dbfs, uint64_t frames, float probability);
  // Called once a tick while the agent is audible and nothing is suspected.
  Step Decide(int64_t now_ms);
  // A suspicion took over and now owns the duck.
  void TakenOver() { ducked_ = false; }
  // The suspected sound was an interruption, so the next sound ducks without a pause.
  void WasRight() { pause_ms_ = paused_until_ms_ = 0; }
  bool ducked() const { return ducked_; }

 private:
  void FollowNoise(float level_dbfs);

  DuckOptions options_;
  float noise_dbfs_;
  bool heard_ = false;
  int64_t since_ms_ = -1;
  int64_t last_ms_ = 0;
  uint64_t frames_ = 0;
  bool possible_ = false;  // a frame of the sound reached `possible`
  bool likely_ = false;    // the last frame reached `likely`
  bool ducked_ = false;
  bool spent_ = false;  // this sound has ducked the agent before
  int64_t ducked_ms_ = 0;
  int64_t paused_until_ms_ = 0;
  int64_t pause_ms_ = 0;
};

}  // namespace trunkline::omni
