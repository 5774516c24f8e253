// Streaming sample-rate conversion by a rational factor, linear phase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dsp/cpu.h"
#include "dsp/filter_bank.h"
#include "dsp/resample_filter.h"

namespace trunkline::dsp {

struct ResampleKernels;

// Rate contract: after n input samples in all, ceil(n * output_rate / input_rate) samples have come out in
// all, whatever the sizes of the pieces (20 ms in give exactly 20 ms out). The first of them are the filter's
// rise: what goes in at one moment comes out `delay_seconds()` later. Any split of the input gives the same
// bits.
//
// Realtime: Process, OutputSize and Reset neither lock nor allocate. Not realtime: Create.
class Resampler {
 public:
  // Returns nothing when a rate lies outside 1 kHz to 768 kHz or the two have hardly a common
  // factor.
  static std::optional<Resampler> Create(int input_rate, int output_rate, Grade grade, Isa isa = BestIsa());

  struct Progress {
    size_t consumed;
    size_t produced;
  };
  // Consumes all of `in` if `out` holds OutputSize(in.size()) samples, else as much as fits; call again
  // with the rest. Full scale is 1 for floats; NaN is replaced by the last valid sample.
  Progress Process(std::span<const float> in, std::span<float> out);
  // Rounds to the nearest sample and saturates.
  Progress Process(std::span<const int16_t> in, std::span<int16_t> out);

  // Returns exactly the number of samples that the next Process of `input_size` samples gives.
  size_t OutputSize(size_t input_size) const;

  // The filter's delay, a whole number of output samples.
  size_t delay_samples() const { return static_cast<size_t>(bank_->delay); }
  double delay_seconds() const { return bank_->delay / output_rate_; }
  int input_rate() const { return input_rate_; }
  int output_rate() const { return output_rate_; }

  void Reset();

 private:
  Resampler(std::shared_ptr<const FilterBank> bank, int input_rate, int output_rate, Isa isa);

  template <typename Sample>
  Progress Run(std::span<const Sample> in, std::span<Sample> out);
  size_t Take(std::span<const float> in);
  size_t Take(std::span<const int16_t> in);
  size_t Emit(std::span<float> out);
  size_t Emit(std::span<int16_t> out);
  size_t Ready() const;
  void Produce(float* out, size_t count);
  void ProduceTiles(size_t first_tile, size_t tiles, float* out);
  void DropPeriods();

  std::shared_ptr<const FilterBank> bank_;
  const ResampleKernels* kernels_;
  int input_rate_, output_rate_;
  // samples_[0] is `history` samples before the current period's first; filled_ counts the valid ones. What
  // lies beyond is stale or zero, but finite: a tile may read it against coefficients of zero.
  std::vector<float> samples_;
  size_t filled_ = 0;
  size_t done_ = 0;  // outputs of the current period that have been given out
  size_t period_output_ = 0;
  float held_ = 0;
};

// Converts a whole recording, without the filter's delay: round(n * output_rate / input_rate) samples,
// aligned with the input. Not realtime. Returns nothing for rates that Create refuses.
std::vector<float> ResampleWhole(std::span<const float> in, int input_rate, int output_rate, Grade grade);

}  // namespace trunkline::dsp
