// Removes speech as far as the spectrum allows: during speech, the middle of the two channels is
// lowered, bin by bin, to the level of the same bin without speech; the sides stay. One channel has no sides.
// Without a pause to learn from, the quietest moments are used.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dsp/dsp.h"

namespace trunkline::dub {

class SpeechRemover {
 public:
  static constexpr int kRate = 48000;

  // `left` and `right` at kRate have one length and are changed in place by the last step; pass the same span
  // twice for one channel. `likelihoods` are the speech probabilities of each `heard` samples. All must live
  // until the last step.
  SpeechRemover(std::span<float> left, std::span<float> right, std::span<const float> likelihoods,
                size_t heard);

  // Processes a few hundred spectra. Returns true when the audio is done.
  bool Step();

 private:
  enum class Stage { kRead, kLearn, kSmooth, kWrite, kDone };

  void Read(size_t frame);
  void Learn(size_t bin);
  void Smooth(size_t frame);
  void Write(size_t frame);
  void Finish();
  bool SpeechIn(size_t frame) const;
  // The start of a frame's window; negative for the first ones.
  ptrdiff_t Begin(size_t frame) const;
  void Window(std::span<const float> from, size_t frame, float sign);
  size_t At(size_t frame, size_t bin) const { return frame * bins_ + bin; }

  std::span<float> left_, right_;
  const bool stereo_;
  dsp::RealFft fft_;
  const size_t bins_, frames_;
  std::vector<float> window_, samples_, re_, im_;
  std::vector<uint8_t> speech_;
  std::vector<float> middle_;  // [frames, bins] power of what lies in the middle
  std::vector<float> gain_;    // [frames, bins]; until Learn, the share that the sides explain
  std::vector<float> row_;
  std::vector<float> removed_;
  Stage stage_ = Stage::kRead;
  size_t next_ = 0;
};

}  // namespace trunkline::dub
