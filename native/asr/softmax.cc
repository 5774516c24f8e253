#include "asr/softmax.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace trunkline::asr {
namespace {

// exp(x) for x <= 0, relative error below 1e-5; zero below -80. 2^n by the exponent's bits, the rest by a
// polynomial.
inline float ExpOfNegative(float x) {
  const float clamped = std::max(x, -80.0f);
  const float powers = clamped * 1.44269504f;
  const auto whole = static_cast<int32_t>(powers - 0.5f);
  const float rest = (powers - static_cast<float>(whole)) * 0.69314718f;
  float value = 1.0f / 720;
  value = value * rest + 1.0f / 120;
  value = value * rest + 1.0f / 24;
  value = value * rest + 1.0f / 6;
  value = value * rest + 0.5f;
  value = value * rest + 1.0f;
  value = value * rest + 1.0f;
  return value * std::bit_cast<float>((whole + 127) << 23);
}

float Largest(std::span<const float> logits) {
  constexpr size_t kLanes = 16;
  float best[kLanes];
  std::fill(best, best + kLanes, -INFINITY);
  size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) best[l] = logits[i + l] > best[l] ? logits[i + l] : best[l];
  }
  for (; i < logits.size(); ++i) best[0] = std::max(best[0], logits[i]);
  return *std::max_element(best, best + kLanes);
}

}  // namespace

uint64_t Chance::Next() {
  state_ += 0x9e3779b97f4a7c15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

int32_t Best(std::span<const float> logits) {
  const float largest = Largest(logits);
  return static_cast<int32_t>(std::find(logits.begin(), logits.end(), largest) - logits.begin());
}

size_t Likeliest(std::span<const float> logits, std::span<int32_t> places) {
  constexpr size_t kBlock = 64;
  size_t count = 0;
  float least = -INFINITY;
  const auto insert = [&](size_t i) {
    size_t at = count < places.size() ? count++ : count - 1;
    for (; at > 0 && logits[static_cast<size_t>(places[at - 1])] < logits[i]; --at)
      places[at] = places[at - 1];
    places[at] = static_cast<int32_t>(i);
    if (count == places.size()) least = logits[static_cast<size_t>(places[count - 1])];
  };
  for (size_t first = 0; first < logits.size(); first += kBlock) {
    const auto block = logits.subspan(first, std::min(kBlock, logits.size() - first));
    if (count == places.size() && Largest(block) <= least) continue;
    for (size_t i = 0; i < block.size(); ++i) {
      if (count < places.size() || block[i] > least) insert(first + i);
    }
  }
  return count;
}

float LogSumExp(std::span<const float> logits) {
  constexpr size_t kLanes = 16;
  const float largest = Largest(logits);
  if (!std::isfinite(largest)) return largest;
  float sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) sums[l] += ExpOfNegative(logits[i + l] - largest);
  }
  for (; i < logits.size(); ++i) sums[0] += ExpOfNegative(logits[i] - largest);
  float sum = 0;
  for (const float part : sums) sum += part;
  return largest + std::log(sum);
}

int32_t Draw(std::span<const float> logits, float temperature, Chance& chance) {
  const float largest = Largest(logits);
  const float scale = 1.0f / temperature;
  double sum = 0;
  for (const float x : logits) sum += ExpOfNegative((x - largest) * scale);
  double left = chance.Uniform() * sum;
  int32_t last = Best(logits);
  for (size_t i = 0; i < logits.size(); ++i) {
    if (!std::isfinite(logits[i])) continue;
    const double part = ExpOfNegative((logits[i] - largest) * scale);
    if (part <= 0) continue;
    left -= part;
    last = static_cast<int32_t>(i);
    if (left <= 0) break;
  }
  return last;
}

}  // namespace trunkline::asr
