// Endpointing: finds where speech starts, pauses, resumes and ends, from the probability of each 32 ms frame.
// Realtime; no I/O and no clock: time is the stream's own, in seconds, and only advances with frames.
//
// An utterance ends after `wait` seconds of silence: endpointing_ms, shortened or extended by the end-of-turn
// probability (Finished, `waits`), or on request (Commit, SplitAt). In silence it also ends at `longest_s`; during
// speech the caller must split it (SplitAt) before that (full).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/speech_thresholds.h"

namespace trunkline::vad {

enum class EndReason : uint8_t { kSilence = 0, kCommit = 1, kMaxUtterance = 2, kClose = 3 };

// At this probability that the speaker has finished, the wait is this share of endpointing_s.
struct TurnWait {
  double probability = 0;
  double share = 1;
};

// They are in the order of their probabilities; between two of them the share changes linearly.
using TurnWaits = std::array<TurnWait, 4>;

// A transcript is final, so its wait is shortened little (docs/decisions/083). An answer that comes too early can be
// taken back, so a caller who is surely done waits less in a call (docs/decisions/151).
inline constexpr TurnWaits kTranscriptWaits = {{{0, 1.5}, {0.5, 1.5}, {1, 0.9}, {1, 0.9}}};
inline constexpr TurnWaits kCallWaits = {{{0, 1.6}, {0.6, 1.04}, {0.9, 0.8}, {0.975, 0.576}}};

struct EndpointerOptions {
  double endpointing_s = 0.5;
  TurnWaits waits = kTranscriptWaits;
  // Speech begins with `start_frames` frames in a row at `start`, and goes on while a frame reaches `hold`.
  float start = base::kSpeechStartProbability;
  float hold = base::kSpeechHoldProbability;
  int start_frames = 2;
  // Frames below `hold` before speech counts as paused.
  int pause_frames = 2;
  // Audio before the first frame of speech that belongs to the utterance.
  double lead_s = 0.3;
  // The greatest length of an utterance, including its lead.
  double longest_s = 15.0;
};

// The events of a frame. Several may hold at once: a cut ends one utterance and starts the next.
struct EndpointEvents {
  bool ended = false;            // the utterance that was open is over: see ended()
  bool started = false;          // an utterance is open: see start_s()
  bool silence_started = false;  // the first frame without speech: a pause may have begun
  bool silence_ended = false;    // it had not
  bool paused = false;  // speech has just stopped: time to decode and to ask whether the speaker has finished
  bool resumed = false;  // speech goes on: what was begun at the pause is void
};

struct Utterance {
  double start_s = 0;
  // The end of its audio; the next utterance begins there or later.
  double end_s = 0;
  // The end of its last speech.
  double speech_end_s = 0;
  EndReason reason = EndReason::kSilence;
};

class Endpointer {
 public:
  explicit Endpointer(const EndpointerOptions& options);

  // Takes the frame that ends at `now_s`.
  EndpointEvents Frame(float probability, double now_s);
  // Ends the open utterance with everything up to now; does nothing without one.
  EndpointEvents Commit(double now_s, EndReason reason);
  // Ends the open utterance during speech at `at_s`, because it grows too long; the next one begins there.
  EndpointEvents SplitAt(double at_s);
  // The end-of-turn probability at pause number `pause`, or nothing when it is unknown; an old pause is
  // ignored.
  void Finished(uint32_t pause, std::optional<float> probability);

  bool open() const { return open_; }
  bool silent() const { return open_ && silent_; }
  // Returns whether the utterance must be cut before the next frame.
  bool full(double now_s) const;
  // The number of the last pause, counted from 1.
  uint32_t pause() const { return pause_; }
  double start_s() const { return start_s_; }
  double speech_end_s() const { return speech_end_s_; }
  const Utterance& ended() const { return ended_; }
  // The current wait for the end of the utterance.
  double wait_s() const { return wait_s_; }

 private:
  void Open(double start_s, EndpointEvents& events);
  void Close(double end_s, double speech_end_s, EndReason reason, EndpointEvents& events);
  void Speech(double now_s, EndpointEvents& events);
  void Silence(double now_s, EndpointEvents& events);
  bool Long(double now_s) const;

  EndpointerOptions options_;
  bool open_ = false;
  bool silent_ = false;
  int loud_frames_ = 0;
  int quiet_frames_ = 0;
  uint32_t pause_ = 0;
  double start_s_ = 0;
  double speech_end_s_ = 0;
  double floor_s_ = 0;  // the audio before it belongs to an utterance that has ended
  double wait_s_ = 0;
  Utterance ended_;
};

}  // namespace trunkline::vad
