// Decides whether a sound that comes while the agent speaks is an interruption. Media thread; no allocation;
// time is the media clock in milliseconds.
//
// A sound that may be a voice ducks the agent (duck_trigger.h), at the latest when it is suspected: when it
// is loud enough, louder than the agent's own echo, and speech by the voice detector. Within `latest_ms` of
// the suspicion it is decided:
//   real    it is still speech, and its words are more than a backchannel: interrupt
//   false   too little of it was speech, it is the agent's own echo, or its words are a backchannel:
//           resume. While it goes on, the detector has it recognized again. Other words in two results in a row, or in
//           one clear result, or a backchannel that lasts for `persist_ms`, are an interruption after all.
// The detector asks for text as late as the decision allows, at the end of a short sound, and repeatedly while a
// sound goes on.
#pragma once

#include <cstdint>

#include "base/speech_thresholds.h"
#include "lanes/omni/duck_trigger.h"

namespace trunkline::omni {

// Only a sound that is this much louder than the agent's echo interrupts.
inline constexpr float kAboveEchoDb = 6;

struct BargeInOptions {
  // Quieter sounds never interrupt.
  float gate_dbfs = -42;
  // Frames in a row that must reach `start`; a single frame that reaches `sure` suffices.
  int frames = 2;
  float start = base::kSpeechStartProbability;
  float sure = 0.8f;
  // A sound ends below this probability.
  float hold = base::kSpeechHoldProbability;
  // A shorter sound is not suspected yet, since a longer one is easier to decide.
  int64_t min_ms = 60;
  // The time from suspicion to decision. It is shorter when the sound had lasted long before it was
  // suspected: `within_ms` after the onset, so that with the caller's frame, a tick and the last recognition the
  // interruption latency is 400 ms. While a recognition is in flight the decision may come up to `grace_ms` later,
  // so that a slow recognizer does not cause false interruptions.
  int64_t latest_ms = 290;
  int64_t within_ms = 360;
  int64_t grace_ms = 150;
  // Text is asked for this long before the decision, first and last, and later at the interval.
  int64_t first_text_ms = 80;
  int64_t last_text_ms = 20;
  int64_t next_text_ms = 60;
  // The silence that ends a noise and a word; a consonant may be silent for longer than a moment.
  int64_t quiet_ms = 90;
  int64_t word_quiet_ms = 150;
  // A sound with less speech than this is a noise.
  int64_t speech_ms = 100;
  int64_t persist_ms = 900;
  // Words are recognized. Without them, speech that lasts for `latest_ms` interrupts.
  bool uses_text = true;
  DuckOptions duck = {};
};

// Options for a sensitivity: `high` yields easily, `low` wants clear, deliberate speech. A number is the
// gate.
BargeInOptions BargeInHigh();
BargeInOptions BargeInNormal();
BargeInOptions BargeInLow();
BargeInOptions BargeInGate(float dbfs);

// The text is kUnclear when the recognizer was not sure, or when it cannot have been said in so
// short a time.
enum class TextVerdict : uint8_t { kUnclear, kNone, kBackchannel, kTurn };

struct BargeInSound {
  float level_dbfs = -127;
  // The voice detector's frame count and its latest probability.
  uint64_t frames = 0;
  float probability = 0;
  // The level of the agent's echo in the sound, and whether the sound is nothing but echo.
  float echo_dbfs = -127;
  bool echo = false;
  // It is not the caller's speech (sound_gate.h), and neither ducks nor interrupts the agent as long as that holds.
  bool others = false;
};

struct BargeInStep {
  bool duck = false;
  bool needs_text = false;
  // The time that is left for a clearer answer, from 1 at the first request to 0 at the last.
  float confidence_margin = 0;
  bool interrupt = false;
  bool resume = false;
};

class BargeInDetector {
 public:
  explicit BargeInDetector(const BargeInOptions& options) : options_(options), duck_trigger_(options.duck) {}

  // Called every 10 ms of the caller's line, and with the same moment again while the line stands still.
  BargeInStep Tick(int64_t now_ms, const BargeInSound& sound, bool agent_playing);
  // Reports what the recognizer made of the sound so far; an answer to an old question is ignored. `sure`:
  // this result alone shows that the sound is more than a backchannel.
  void Heard(uint32_t suspicion, TextVerdict words, bool sure = false);

  // The number of the suspicion that is or was last open.
  uint32_t suspicion() const { return suspicion_; }
  // The start of the sound. A sound that follows closely belongs to the one before ("I" and "see").
  int64_t onset_ms() const { return onset_ms_; }
  bool suspecting() const { return state_ == State::kSuspecting; }
  bool asking() const { return asking_ && state_ != State::kIdle; }
  bool Audible(const BargeInSound& sound) const;

 private:
  enum class State : uint8_t { kIdle, kSuspecting, kWatching };

  bool Quiet(int64_t now_ms, int64_t for_ms) const {
    return quiet_since_ms_ >= 0 && now_ms - quiet_since_ms_ >= for_ms;
  }
  void Listen(int64_t now_ms, const BargeInSound& sound);
  void CountFrames(const BargeInSound& sound);
  BargeInStep DecideDuck(int64_t now_ms, bool others);
  BargeInStep Suspect(int64_t now_ms);
  BargeInStep Weigh(int64_t now_ms, const BargeInSound& sound);
  BargeInStep Watch(int64_t now_ms, bool others);
  BargeInStep Ask(int64_t now_ms, float confidence_margin);
  int64_t DecidedAt() const;
  BargeInStep Interrupt();
  BargeInStep Resume(State next);

  BargeInOptions options_;
  DuckTrigger duck_trigger_;
  State state_ = State::kIdle;
  uint32_t suspicion_ = 0;
  int64_t since_ms_ = 0;
  int64_t onset_ms_ = -1;
  int64_t began_ms_ = 0;
  int64_t ended_ms_ = -10'000;
  int64_t loud_since_ms_ = -1;
  int64_t loud_last_ms_ = 0;
  int64_t last_ms_ = 0;
  int64_t spoken_ms_ = 0;
  int64_t quiet_since_ms_ = -1;
  uint64_t frames_ = 0;
  int likely_frames_ = 0;
  bool sure_ = false;
  bool asking_ = false;
  bool answered_ = false;
  int64_t asked_ms_ = -1;
  int others_ = 0;
  TextVerdict words_ = TextVerdict::kUnclear;
  bool sure_words_ = false;
};

}  // namespace trunkline::omni
