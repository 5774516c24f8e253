// Equiripple filter design by the Remez exchange. Not realtime: allocates, takes milliseconds.
#pragma once

#include <optional>
#include <vector>

namespace trunkline::dsp {

// A band of the desired amplitude response; frequencies in cycles a sample, 0 to 0.5.
struct Band {
  double from;
  double to;
  double gain;
  double weight;  // the error's share: twice the weight, half the ripple
};

// Designs a linear-phase filter of odd length with the least weighted error. Returns nothing when the
// exchange does not converge (bands too narrow for the length, or far more than some 1,500 taps).
std::optional<std::vector<double>> DesignEquiripple(int length, const std::vector<Band>& bands);

}  // namespace trunkline::dsp
