// An audio fingerprint of a greeting, 16 bits every 32 ms: the signs of how the differences between
// neighbouring bands change. A recording gives nearly the same bits on every call, a person never does.
// Realtime after construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsp/dsp.h"

namespace trunkline::amd {

inline constexpr int kRate = 8000;

class Fingerprint {
 public:
  static constexpr size_t kFrame = 2048, kHop = 256;
  static constexpr size_t kBands = 17;
  static constexpr size_t kMax = 160;  // words: five seconds

  Fingerprint();
  // Called from the greeting's first speech on, with kHop samples each. Full after kMax words; more is
  // ignored.
  void Frame(std::span<const float> hop);
  std::span<const uint16_t> words() const { return {words_.data(), count_}; }
  bool full() const { return count_ == kMax; }

 private:
  dsp::RealFft fft_;
  std::vector<float> window_, samples_, work_, re_, im_;
  std::array<size_t, kBands + 1> edges_ = {};
  std::array<double, kBands> last_ = {};
  std::array<uint16_t, kMax> words_ = {};
  size_t count_ = 0;
  size_t hops_ = 0;
};

}  // namespace trunkline::amd
