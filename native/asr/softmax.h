// Operations on a row of logits: the best token, its probability, and sampling. A row has 52,000 numbers for
// every token, so these loops are written for vectorization.
#pragma once

#include <cstdint>
#include <span>

namespace trunkline::asr {

// A portable random generator: the same seed gives the same numbers everywhere (splitmix64).
class Chance {
 public:
  explicit Chance(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  // In (0, 1].
  double Uniform() { return (static_cast<double>(Next() >> 11) + 1.0) * 0x1p-53; }

 private:
  uint64_t state_;
};

// Returns the first of equal ones.
int32_t Best(std::span<const float> logits);

// Writes the indices of the largest in order, as many as `places` holds, the first of equals. Returns
// their number.
size_t Likeliest(std::span<const float> logits, std::span<int32_t> places);

// Accurate to about 1e-5.
float LogSumExp(std::span<const float> logits);

// Samples a token from the softmax of logits / temperature.
int32_t Draw(std::span<const float> logits, float temperature, Chance& chance);

}  // namespace trunkline::asr
