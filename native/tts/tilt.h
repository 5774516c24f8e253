// Spectral tilt: makes a voice brighter or warmer. One pole, so it does not ring.
#pragma once

namespace trunkline::tts {

class TiltFilter {
 public:
  // `db`: high frequencies relative to low ones, shared between both; 0 changes nothing.
  TiltFilter(int rate, float db);

  float Next(float sample) {
    low_ += step_ * (sample - low_);
    return low_gain_ * low_ + high_gain_ * (sample - low_);
  }
  void Reset() { low_ = 0; }

  // The gain at a frequency, in dB.
  static float GainDb(int rate, float db, float hertz);

 private:
  float step_, low_gain_, high_gain_;
  float low_ = 0;
};

}  // namespace trunkline::tts
