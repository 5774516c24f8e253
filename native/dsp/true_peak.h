// True peaks, measured between samples at four times the rate as BS.1770-4 requires, and a limiter by them
// with a short memory: samples further away than kMargin change no bit.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::dsp {

class TruePeak {
 public:
  // Each sample needs this many before and after it.
  static constexpr size_t kMargin = 16;

  // `in` holds kMargin samples before and after `out.size()`; each of `out` is the peak from its sample up to
  // the next.
  static void Follow(std::span<const float> in, std::span<float> out);
};

// Returns the true peak in dBTP of all samples that were added.
class TruePeakMeter {
 public:
  void Add(std::span<const float> samples);
  double Dbtp() const;

 private:
  void Scan(std::span<const float> samples);
  std::vector<float> history_ = std::vector<float>(2 * TruePeak::kMargin, 0.0F);
  float largest_ = 0;
};

class TruePeakLimiter {
 public:
  TruePeakLimiter(int rate, double ceiling_dbtp);

  // Each sample needs this many before and after it.
  size_t margin() const { return 2 * slope_ + TruePeak::kMargin + 1; }
  // `in` holds margin() samples before and after `out.size()`. Samples far below the ceiling pass unchanged,
  // to the bit.
  void Process(std::span<const float> in, std::span<float> out) const;

 private:
  float ceiling_;
  size_t slope_;
  std::vector<float> window_;  // 2 * slope_ + 1, adds up to 1
};

}  // namespace trunkline::dsp
