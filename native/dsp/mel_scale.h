// Slaney's scale of pitch: linear to 1 kHz, logarithmic above; and the filters that split a spectrum by it.
#pragma once

#include <cstddef>
#include <vector>

namespace trunkline::dsp {

double MelOf(double hertz);
double HertzOf(double mel);

// A filter over the bins of a transform: it rises from its lower edge to its middle and falls to its upper edge, and its
// area is 1.
struct MelBand {
  double low = 0, middle = 0, high = 0;  // hertz
  size_t first = 0;                      // bin of the first weight
  std::vector<double> weights;
};
// Makes `count` filters, from 0 Hz to half the rate, over the bins of a transform of `points`.
std::vector<MelBand> MelBands(size_t count, double rate, size_t points);

}  // namespace trunkline::dsp
