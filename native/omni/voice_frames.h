// What the voice detector says of a sound that is audible, frame by frame. Media thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace trunkline::omni {

class VoiceFrames {
 public:
  // Of a frame that it knows already nothing changes. `start`: from there on it may be a voice.
  void Take(uint64_t frame, bool audible, float probability, float start) {
    if (frame == frame_) return;
    frame_ = frame;
    last_ = audible && probability >= start ? probability : 0;
    in_a_row_ = last_ > 0 ? in_a_row_ + 1 : 0;
    if (audible) most_ = std::max(most_, probability);
  }
  // The sound has ended.
  void Ended() { most_ = 0; }
  // It was judged: what comes now is judged by what comes now.
  void Forget() {
    in_a_row_ = 0;
    last_ = 0;
  }

  // Frames in a row that may be a voice, the last of those, and the most that was said of any.
  int in_a_row() const { return in_a_row_; }
  float last() const { return last_; }
  float most() const { return most_; }

 private:
  uint64_t frame_ = 0;
  int in_a_row_ = 0;
  float last_ = 0, most_ = 0;
};

}  // namespace trunkline::omni
