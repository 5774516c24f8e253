// High tones against low: what makes a voice brighter or warmer. One pole, so nothing rings.
#pragma once

namespace trunkline::tts {

class TiltFilter {
 public:
  // `db` of high tones over low ones, shared between both; 0 changes nothing.
  TiltFilter(int rate, float db);

  float Next(float sample) {
    low_ += step_ * (sample - low_);
    return low_gain_ * low_ + high_gain_ * (sample - low_);
  }
  void Reset() { low_ = 0; }

  // How much it lifts a tone, in dB.
  static float GainDb(int rate, float db, float hertz);

 private:
  float step_, low_gain_, high_gain_;
  float low_ = 0;
};

}  // namespace trunkline::tts
