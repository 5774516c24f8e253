// Loudness by EBU R 128 and ITU-R BS.1770-4: K-weighted, gated blocks of 400 ms. Not for the realtime path:
// it stores a number for every tenth of a second.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::dsp {

// The loudness of silence, and of less than one block.
constexpr double kNoLoudness = -70;

// The K-weighting filter: a shelf, then a high pass.
class KWeighting {
 public:
  explicit KWeighting(int rate);
  double Next(double sample);

 private:
  struct Section {
    std::array<double, 3> b;
    std::array<double, 2> a;
    double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
    double Next(double x);
  };
  Section shelf_, high_pass_;
};

class LoudnessMeter {
 public:
  // Both channels have the same weight; one channel counts as one loudspeaker.
  explicit LoudnessMeter(int rate, size_t channels = 1);

  // Interleaved samples, full scale 1. Any split of the input gives the same readings.
  void Add(std::span<const float> samples);

  // LUFS of all that was added; kNoLoudness when everything lies under the absolute gate.
  double Integrated() const;
  // The largest over 400 ms and over 3 s.
  double LargestMomentary() const { return Largest(kBlockTenths); }
  double LargestShortTerm() const { return Largest(kShortTenths); }
  // The loudness range in LU by EBU Tech 3342.
  double Range() const;

 private:
  static constexpr size_t kBlockTenths = 4, kShortTenths = 30;
  double Largest(size_t tenths) const;
  // Returns the mean power of every window of `tenths` tenths of a second that ends on a tenth.
  std::vector<double> Windows(size_t tenths, size_t apart) const;

  size_t channels_;
  size_t tenth_;  // frames of 100 ms
  size_t frames_ = 0;
  double sum_ = 0;
  std::vector<KWeighting> filters_;
  std::vector<double> tenths_;  // mean power of each 100 ms, of all channels together
  size_t channel_ = 0;
};

}  // namespace trunkline::dsp
