// Speech and silence to a frame of voice activity, finer than an endpointer: a greeting's pauses of a fifth
// of a second distinguish people from machines. Realtime; time is the stream's own.
#pragma once

#include <cstdint>

#include "base/speech_thresholds.h"

namespace trunkline::amd {

struct SegmentEvent {
  enum class Kind : uint8_t { kNone, kSpeech, kQuiet };
  Kind kind = Kind::kNone;
  // The start; reported some frames later, once it is certain.
  double at_s = 0;
};

class SpeechSegments {
 public:
  // Frames in a row that confirm a change.
  static constexpr int kLoudFrames = 2;
  static constexpr int kQuietFrames = 5;
  static constexpr float kLoud = base::kSpeechStartProbability;
  static constexpr float kHold = base::kSpeechHoldProbability;

  // Takes the frame that begins at `start_s`. At most one event a frame.
  SegmentEvent Frame(float probability, double start_s);
  bool speaking() const { return state_ == State::kSpeech; }

 private:
  enum class State : uint8_t { kQuiet, kSpeech };
  State state_ = State::kQuiet;
  int frames_ = 0;  // consecutive ones that contradict the state
  double since_s_ = 0;
};

}  // namespace trunkline::amd
