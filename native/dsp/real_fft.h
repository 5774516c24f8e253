// The FFT of a short block of real samples, and its inverse. Realtime: no lock, no allocation after
// construction.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::dsp {

class RealFft {
 public:
  // `size`: even, and half of it a product of 2, 3 and 5.
  explicit RealFft(size_t size);

  size_t size() const { return 2 * half_; }
  size_t bins() const { return half_ + 1; }

  // `in` has size() samples; `re` and `im` have bins() values each.
  void Forward(std::span<const float> in, std::span<float> re, std::span<float> im);
  // The inverse, scaled so that it undoes Forward. `im` of the first and last bin is ignored.
  void Inverse(std::span<const float> re, std::span<const float> im, std::span<float> out);

 private:
  using Complex = std::complex<float>;

  void Transform();

  size_t half_;
  std::vector<size_t> radices_;
  std::vector<Complex> roots_;   // the angles are 2 pi k / half
  std::vector<Complex> unpack_;  // the angles are 2 pi k / size
  std::vector<Complex> work_, spare_;
};

}  // namespace trunkline::dsp
