// The resamplers' low-pass filters, designed on first use. Not realtime.
#pragma once

#include <vector>

namespace trunkline::dsp {

// Each grade's stop band begins at the lower Nyquist frequency.
enum class Grade {
  kStrict,  // passes 0.9 of it, at least 100 dB down beyond: files, everything offline
  kSpeech,  // passes 0.85 of it (a telephone's 3.4 kHz), at least 90 dB down, half the delay: live calls
};

struct RateRatio {
  int up;    // L
  int down;  // M

  // The ratio is reduced; both rates must be above 0.
  static RateRatio Of(int input_rate, int output_rate);
};

// Taps at `up` times the input rate, gain `up`, length a multiple of `up`. The middle lies at `delay`, a
// multiple of `down`, so that the delay is a whole number of output samples.
struct LowPass {
  std::vector<double> taps;
  int delay;
  bool equiripple;
};

LowPass DesignLowPass(RateRatio ratio, Grade grade);

std::vector<double> DesignKaiser(int length, double cutoff, double beta);

}  // namespace trunkline::dsp
