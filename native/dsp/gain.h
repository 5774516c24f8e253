// Gain ramps and cuts without a click. Realtime; any split of the input gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trunkline::dsp {

// A fade of this length sounds sudden without a click.
constexpr int kMuteMs = 5;

// A gain that moves along half a cosine wave, which has no corner and so causes no click.
class GainRamp {
 public:
  explicit GainRamp(int rate, float gain = 1) : rate_(rate), from_(gain), to_(gain) {}

  // Starts a ramp from the present gain. 0 ms: at once.
  void To(float gain, float milliseconds);
  // Silences the audio within kMuteMs. What follows stays silent until the next ramp.
  void Mute() { To(0, kMuteMs); }
  void Process(std::span<float> samples);

  float gain() const;
  bool moving() const { return done_ < length_; }
  bool silent() const { return !moving() && to_ == 0; }

 private:
  int rate_;
  float from_, to_;
  size_t length_ = 0, done_ = 0;
};

}  // namespace trunkline::dsp
