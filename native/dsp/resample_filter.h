// The low-pass filters of the resamplers, designed when first needed. Not realtime.
#pragma once

#include <vector>

namespace trunkline::dsp {

// Both grades pass 0 to 0.9 of the lower Nyquist frequency.
enum class Grade {
  kStrict,  // at least 100 dB down from 1.0 of it on: files, everything offline
  kSpeech,  // at least 90 dB down from 1.1 of it on, half the delay: live calls
};

struct RateRatio {
  int up;    // L
  int down;  // M

  // Reduced; both rates above 0.
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

// Taps of the half-band filter for 2/1: even outputs are this filter of the input, odd outputs the input
// itself, delayed by half its length less one.
std::vector<double> DesignHalfBandBranch(Grade grade);

std::vector<double> DesignKaiser(int length, double cutoff, double beta);

}  // namespace trunkline::dsp
