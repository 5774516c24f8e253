// Equiripple filter design by the Remez exchange. Not realtime: allocates, takes milliseconds.
#pragma once

#include <optional>
#include <vector>

namespace trunkline::dsp {

// A band of the wanted amplitude response; frequencies in cycles a sample, 0 to 0.5.
struct Band {
  double from;
  double to;
  double gain;
  double weight;  // the error's share: twice the weight, half the ripple
};

// Linear-phase filter of odd length with the least weighted error. Nothing where the exchange does not settle
// (bands too narrow for the length, or far longer than some 1,500 taps).
std::optional<std::vector<double>> DesignEquiripple(int length, const std::vector<Band>& bands);

}  // namespace trunkline::dsp
