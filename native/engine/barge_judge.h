// Whether a sound that comes while the agent speaks is an interruption. Media thread; no allocation; time is
// the media clock in milliseconds.
//
// A suspicion (loud enough, and speech by the voice detector) ducks the agent at once. Within `decide_ms` it
// is one of:
//   real    it is still speech, and its first words are not just a sign of listening: cut
//   false   it fell silent, its level fell together with the ducked agent (an echo), or its words are a sign
//   of
//           listening ("mhm", "right"): resume. A sign of listening that goes on for `insist_ms` is an
//           interruption after all.
#pragma once

#include <cstdint>

namespace trunkline::engine {

struct BargeOptions {
  // Quieter sounds never interrupt.
  float gate_dbfs = -42;
  int frames = 2;
  float start = 0.5f;
  float hold = 0.35f;
  int64_t ask_ms = 140;
  int64_t decide_ms = 240;
  int64_t latest_ms = 290;
  int64_t quiet_ms = 90;
  int64_t speech_ms = 160;
  int64_t insist_ms = 700;
  // Nobody is asked what the words were.
  bool heed_words = true;
};

// The options for a sensitivity: `high` yields easily, `low` wants clear, deliberate speech. A number is the
// gate.
BargeOptions BargeHigh();
BargeOptions BargeNormal();
BargeOptions BargeLow();
BargeOptions BargeGate(float dbfs);

enum class Words : uint8_t { kUnknown, kNone, kListening, kSaying };

struct BargeStep {
  bool duck = false;
  bool ask_words = false;
  bool cut = false;
  bool resume = false;
};

class BargeJudge {
 public:
  explicit BargeJudge(const BargeOptions& options) : options_(options) {}

  // Once a tick. `frames` counts the voice detector's frames so far, `probability` is the last one's answer.
  BargeStep Tick(int64_t now_ms, float level_dbfs, uint64_t frames, float probability, bool agent_playing);
  // What the recognizer made of the sound so far; a late answer to an old question is ignored.
  void Heard(uint32_t suspicion, Words words);

  // The number of the suspicion that is or was last open.
  uint32_t suspicion() const { return suspicion_; }
  int64_t since_ms() const { return since_ms_; }
  bool suspecting() const { return state_ == State::kSuspecting; }

 private:
  enum class State : uint8_t { kIdle, kSuspecting, kWatching };

  bool Loud(float level_dbfs, float probability, float least) const;
  BargeStep Suspect(int64_t now_ms);
  BargeStep Weigh(int64_t now_ms);
  BargeStep Watch(int64_t now_ms);
  BargeStep Cut();
  BargeStep Resume(State next);

  BargeOptions options_;
  State state_ = State::kIdle;
  uint32_t suspicion_ = 0;
  int64_t since_ms_ = 0;
  int64_t last_ms_ = 0;
  int64_t spoken_ms_ = 0;
  int64_t quiet_since_ms_ = -1;
  uint64_t frames_ = 0;
  int loud_frames_ = 0;
  bool asked_ = false;
  Words words_ = Words::kUnknown;
};

}  // namespace trunkline::engine
