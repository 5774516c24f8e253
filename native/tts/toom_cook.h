// A convolution along time by fewer products. Toom-Cook makes `outputs` neighbours of a convolution of `taps`
// taps from outputs + taps - 1 products: it spreads the input over that many points, multiplies at each point
// and gathers. A longer convolution is a sum of pieces that share the points of their inputs: the pieces
// are as many taps apart as a group has outputs.
#pragma once

#include <cstddef>
#include <vector>

namespace trunkline::tts {

struct ToomCook {
  static constexpr size_t kMostPoints = 7, kMostOutputs = 4;

  size_t outputs = 0, taps = 0, points = 0;
  std::vector<float> spread;    // [points][points]
  std::vector<float> gather;    // [outputs][points]
  std::vector<double> weights;  // [points][taps]
};

// Four outputs of three taps by six products, or of four taps by seven.
const ToomCook& ToomCookOfThree();
const ToomCook& ToomCookOfFour();

}  // namespace trunkline::tts
