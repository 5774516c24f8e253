// The vocoder of hibari: five spectra and a pitch for each frame of 12.5 ms become a wave at 24 kHz. A train of
// pulses at the pitch, filtered by the harmonic spectrum, noise shaped by the second, and a spectrum of free
// phase, through one inverse short-time Fourier transform. Streams: any split gives the same samples.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "dsp/dsp.h"
#include "tts/noise.h"

namespace trunkline::tts {

// A frame of a lower pitch is unvoiced.
inline constexpr float kHarmonicVoicedHz = 40;

// Each spectrum is [kVocoderBins, frames]; `hertz` has a value for each frame, below 40 in
// unvoiced ones.
inline constexpr size_t kVocoderBins = 601;
inline constexpr size_t kVocoderHop = 300;
struct VocoderInput {
  std::span<const float> harmonic, harmonic_phase;  // a logarithm, and the argument of pi * tanh
  std::span<const float> noise;                     // a logarithm
  std::span<const float> free, free_phase;          // a logarithm, and radians
  std::span<const float> hertz;
};

class HarmonicVocoder {
 public:
  // The input must outlive the vocoder.
  HarmonicVocoder(const VocoderInput& input, uint64_t seed);

  // Appends the samples of `frames` more frames, or all that are left.
  void Step(size_t frames, std::vector<float>& out);
  bool done() const { return given_ == frames_; }

 private:
  static constexpr size_t kSize = 1200, kBlocks = kSize / kVocoderHop;

  void AddFrame(size_t frame);
  void TakeBlock(size_t block, std::vector<float>& out);
  void MakePulses(size_t until);
  float Pulse(float hertz);

  const VocoderInput input_;
  const size_t frames_;
  Noise noise_;
  dsp::RealFft fft_;
  std::vector<float> window_;
  std::vector<float> pulses_;  // samples from the clause's start
  double turns_ = 0;           // the phase of the pulses in turns, less whole ones
  std::vector<float> sum_ = std::vector<float>(kSize);
  std::vector<float> wave_ = std::vector<float>(kSize);
  std::vector<float> re_ = std::vector<float>(kVocoderBins), im_ = std::vector<float>(kVocoderBins);
  size_t added_ = 0, given_ = 0;  // frames
};

}  // namespace trunkline::tts
