// Whether a sound that comes while the agent speaks is an interruption. Media thread; no allocation; time is
// the media clock in milliseconds.
//
// A sound that may be a voice lowers the agent (rise_watch.h), and a suspicion (loud enough, louder than the
// agent's own echo, and speech by the voice detector) at the latest. From the suspicion on, within
// `latest_ms` it is one of:
//   real    it is still speech, and its words are not just a sign of listening: cut
//   false   too little of it was speech, it is the agent's own echo, or its words are a sign of listening
//           ("mhm", "right"): resume. As long as it goes on after that it is watched: other words at two
//           looks in a row or, where they are clear, at one, or a sign of listening that lasts for
//           `persist_ms`, are an interruption after all.
// It is looked at as late as the decision allows, at the end of a short sound, and again and again while a
// sound is watched.
#pragma once

#include <cstdint>

#include "base/speech_thresholds.h"
#include "lanes/omni/duck_trigger.h"

namespace trunkline::omni {

// How far above its own echo the agent listens.
inline constexpr float kAboveEchoDb = 6;

struct BargeOptions {
  // Quieter sounds never interrupt.
  float gate_dbfs = -42;
  // Frames of the voice detector in a row that reach `start`; a single one that reaches `sure` will do.
  int frames = 2;
  float start = base::kSpeechStartProbability;
  float sure = 0.8f;
  // Less does not end a sound.
  float hold = base::kSpeechHoldProbability;
  // A shorter sound is not suspected yet: what is heard by the time of the decision tells the more.
  int64_t least_ms = 60;
  // From the suspicion: then it is decided. Sooner when its sound had lasted for long before it was
  // suspected: `within_ms` after it began, but for the time of a few looks; with the caller's frame, a tick
  // and the last look's answer that makes 400 ms at the ear. While a look is on its way, up to `grace_ms`
  // later: that the engine is late, or a language's recognizer slow, is no reason to cut.
  int64_t latest_ms = 290;
  int64_t within_ms = 360;
  int64_t grace_ms = 150;
  // Before the decision: the first look, and the last. Then again and again, while a sound is watched.
  int64_t looks_ms = 80;
  int64_t last_look_ms = 20;
  int64_t look_again_ms = 60;
  // Silence that ends a noise, and a word, in which a consonant may be silent for longer than a moment.
  int64_t quiet_ms = 90;
  int64_t word_quiet_ms = 150;
  // Less speech than this is a noise.
  int64_t speech_ms = 100;
  int64_t persist_ms = 900;
  // Nobody is asked what the words were: speech that lasts for `latest_ms` interrupts.
  bool uses_text = true;
  // What lowers the agent before anything is suspected.
  DuckOptions rise = {};
};

// The options for a sensitivity: `high` yields easily, `low` wants clear, deliberate speech. A number is the
// gate.
BargeOptions BargeHigh();
BargeOptions BargeNormal();
BargeOptions BargeLow();
BargeOptions BargeGate(float dbfs);

// kUnclear: what the recognizer wrote can't have been said in so short a time, or it was not sure of it.
enum class Words : uint8_t { kUnclear, kNone, kBackchannel, kTurn };

// What is heard of the caller now.
struct BargeSound {
  float level_dbfs = -127;
  // Of the voice detector: how many frames so far, and the last one's answer.
  uint64_t frames = 0;
  float probability = 0;
  // What of the agent's own voice may be in it, and whether it is nothing else.
  float echo_dbfs = -127;
  bool echo = false;
};

struct BargeStep {
  bool duck = false;
  bool needs_text = false;
  // What time there is for a clearer answer, from 1 at the first look to 0 at the last.
  float confidence_margin = 0;
  bool cut = false;
  bool resume = false;
};

class BargeJudge {
 public:
  explicit BargeJudge(const BargeOptions& options) : options_(options), rise_(options.rise) {}

  // Every 10 ms of the caller's line, and while that stands still again with the same moment: what was asked
  // may have been answered.
  BargeStep Tick(int64_t now_ms, const BargeSound& sound, bool agent_playing);
  // What the recognizer made of the sound so far; a late answer to an old question is ignored. `sure`: so
  // clear a look at other words that it is enough by itself to end a sign of listening.
  void Heard(uint32_t suspicion, TextVerdict words, bool sure = false);

  // The number of the suspicion that is or was last open.
  uint32_t suspicion() const { return suspicion_; }
  // When its sound began; a sound that follows another closely belongs to it ("I" and "see").
  int64_t onset_ms() const { return onset_ms_; }
  bool suspecting() const { return state_ == State::kSuspecting; }
  // What it asked last is still wanted.
  bool asking() const { return asking_ && state_ != State::kIdle; }
  // Loud enough to be a caller who wants to be heard, and not just the agent's echo.
  bool Audible(const BargeSound& sound) const;

 private:
  enum class State : uint8_t { kIdle, kSuspecting, kWatching };

  bool Quiet(int64_t now_ms, int64_t for_ms) const {
    return quiet_since_ms_ >= 0 && now_ms - quiet_since_ms_ >= for_ms;
  }
  void Listen(int64_t now_ms, const BargeSound& sound);
  void CountFrames(const BargeSound& sound);
  BargeStep BeWary(int64_t now_ms);
  BargeStep Suspect(int64_t now_ms);
  BargeStep Weigh(int64_t now_ms, const BargeSound& sound);
  BargeStep Watch(int64_t now_ms);
  BargeStep Ask(int64_t now_ms, float confidence_margin);
  // When a suspicion is decided.
  int64_t DecidedAt() const;
  BargeStep Cut();
  BargeStep Resume(State next);

  BargeOptions options_;
  DuckTrigger rise_;
  State state_ = State::kIdle;
  uint32_t suspicion_ = 0;
  int64_t since_ms_ = 0;
  int64_t onset_ms_ = -1;
  int64_t began_ms_ = 0;        // of the suspicion's own sound
  int64_t ended_ms_ = -10'000;  // of the sound that was judged last
  int64_t loud_since_ms_ = -1;  // of the sound that is audible now
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
