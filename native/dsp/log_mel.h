// Log-mel spectra as Whisper was trained on them, to the last constant: 25 ms periodic Hann windows every 10
// ms, reflected edges, 80 or 128 Slaney bands, log10 clamped to 8 below the window's loudest value, then (x + 4)
// / 4.
//
// Not for the realtime thread: a window of 30 s costs about ten milliseconds. Computing is const and keeps no
// state between calls; scratch memory is the caller's, so that one set of tables serves every thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::dsp {

class LogMel {
 public:
  static constexpr size_t kRate = 16000;
  static constexpr size_t kBands = 80;
  static constexpr size_t kHop = 160;
  static constexpr size_t kWindow = 400;

  explicit LogMel(size_t bands = kBands);

  size_t bands() const { return bands_.size(); }

  // `out` is [bands(), frames], band after band. `samples` are padded with silence, or cut, to frames *
  // kHop; NaN and values beyond 1e9 count as silence, so that they spoil only their own frames.
  void Compute(std::span<const float> samples, size_t frames, std::span<float> out) const;

 private:
  static constexpr size_t kBins = kWindow / 2 + 1;
  static constexpr size_t kHalf = kWindow / 2;  // a real transform of kWindow is a complex one of this size
  static constexpr size_t kLanes = 8;           // frames transformed side by side

  struct Band {
    size_t first;
    std::vector<float> weights;
  };
  // One value of each of kLanes frames.
  struct alignas(32) Lanes {
    float at[kLanes];
  };
  struct Scratch;

  void BuildBands(size_t count);
  void Transform(Scratch& scratch) const;
  void Power(Scratch& scratch) const;

  std::vector<float> window_;
  std::vector<float> cos_;  // the angles are 2 pi k / kWindow
  std::vector<float> sin_;
  std::vector<Band> bands_;
};

}  // namespace trunkline::dsp
