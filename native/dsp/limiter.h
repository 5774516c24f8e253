// A look-ahead peak limiter: no sample exceeds the ceiling, and the gain never jumps. Realtime after
// construction; any split of the input gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::dsp {

class Limiter {
 public:
  struct Options {
    float ceiling = 0.891f;   // -1 dBFS
    float look_ahead_ms = 2;  // and the time that the gain takes to fall
    float release_ms = 60;    // time constant of its recovery
  };

  // The constructor is not realtime.
  explicit Limiter(int rate) : Limiter(rate, Options()) {}
  Limiter(int rate, const Options& options);

  // Writes one sample for each, `delay_samples()` later; `in` and `out` may be the same.
  void Process(std::span<const float> in, std::span<float> out);
  size_t delay_samples() const { return window_ - 1; }
  void Reset();

 private:
  float Step(float sample);
  int32_t MinOfWindow(int32_t gain);

  // The gain is held in units of 2^-30, so that its running sum is exact and never drifts.
  float ceiling_;
  size_t window_;
  double release_;
  std::vector<float> delayed_;
  // Candidates of the sliding minimum in a ring, rising from the front.
  struct Candidate {
    uint64_t at;
    int32_t gain;
  };
  std::vector<Candidate> candidates_;
  size_t front_ = 0, candidate_count_ = 0;
  std::vector<int32_t> recent_;
  int64_t recent_sum_ = 0;
  int32_t released_ = 0;
  uint64_t position_ = 0;
  float held_ = 0;
};

}  // namespace trunkline::dsp
