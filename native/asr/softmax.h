// Reading a row of logits: the best token, how likely it is, and drawing one by chance. A row is 52,000
// numbers for every token written, so these are loops that the compiler turns into vectors.
#pragma once

#include <cstdint>
#include <span>

namespace trunkline::asr {

// A generator that gives the same numbers everywhere for the same seed (splitmix64).
class Chance {
 public:
  explicit Chance(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  // In (0, 1].
  double Uniform() { return (static_cast<double>(Next() >> 11) + 1.0) * 0x1p-53; }

 private:
  uint64_t state_;
};

// The first of the largest.
int32_t Best(std::span<const float> logits);

// The places of the largest, in order, as many as `places` holds; of equals the first. How many there are.
size_t Likeliest(std::span<const float> logits, std::span<int32_t> places);

// Natural logarithm of the sum of exponentials, to about 1e-5.
float LogSumExp(std::span<const float> logits);

// A token by chance, as likely as the softmax of logits / temperature makes it.
int32_t Draw(std::span<const float> logits, float temperature, Chance& chance);

}  // namespace trunkline::asr
