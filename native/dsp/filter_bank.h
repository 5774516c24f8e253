// A resampler's filter, laid out for the kernels; shared by all resamplers of one ratio and grade.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dsp/resample_filter.h"

namespace trunkline::dsp {

struct AlignedDelete {
  void operator()(float* memory) const;
};

// Zeroed, aligned for the widest vectors. Not realtime.
std::unique_ptr<float[], AlignedDelete> AllocateCoefficients(size_t floats);

// Tiles of sixteen outputs repeat every `tables` tiles, after `period_input` samples.
struct FilterBank {
  RateRatio ratio;
  int tables = 0;  // different tiles in a period
  int rows = 0;
  int period_input = 0;  // input samples that a period advances
  int history = 0;       // samples before a period's first that its first tile reads
  double delay = 0;      // in output samples, whole
  bool equiripple = false;
  std::vector<int> starts;  // first input sample of each tile, counted from `history` before its period
  std::unique_ptr<float[], AlignedDelete> coefficients;

  const float* Table(int tile) const;

  // Designs the filter on first use, then finds it. Returns null for rates outside 1 kHz to 768 kHz, or
  // when the table would be unreasonably large (rates with hardly a common factor, such as 44,101 to
  // 8,000).
  static std::shared_ptr<const FilterBank> Get(int input_rate, int output_rate, Grade grade);
};

}  // namespace trunkline::dsp
