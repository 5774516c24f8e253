#include "dsp/real_fft.h"

#include <array>
#include <numbers>

namespace trunkline::dsp {
namespace {

std::complex<float> Root(size_t k, size_t of) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(of);
  return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

// Complex multiplication without the operator's check for NaN.
inline std::complex<float> Times(std::complex<float> a, std::complex<float> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

RealFft::RealFft(size_t size) : half_(size / 2), work_(half_), spare_(half_) {
  size_t rest = half_;
  for (const size_t radix : {size_t{5}, size_t{4}, size_t{3}, size_t{2}}) {
    for (; rest % radix == 0; rest /= radix) radices_.push_back(radix);
  }
  for (size_t k = 0; k < half_; ++k) roots_.push_back(Root(k, half_));
  for (size_t k = 0; k <= half_; ++k) unpack_.push_back(Root(k, size));
}

// Stockham's order: every pass reads one array and writes the other, so no reversal is needed.
void RealFft::Transform() {
  size_t length = half_, stride = 1;
  for (const size_t radix : radices_) {
    const size_t part = length / radix;
    for (size_t p = 0; p < part; ++p) {
      for (size_t q = 0; q < stride; ++q) {
        std::array<Complex, 5> in;
        for (size_t r = 0; r < radix; ++r) in[r] = work_[q + stride * (p + part * r)];
        for (size_t k = 0; k < radix; ++k) {
          Complex sum = in[0];
          for (size_t r = 1; r < radix; ++r) sum += Times(in[r], roots_[(k * r) % radix * (half_ / radix)]);
          spare_[q + stride * (radix * p + k)] = Times(sum, roots_[p * k * stride % half_]);
        }
      }
    }
    std::swap(work_, spare_);
    length = part;
    stride *= radix;
  }
}

void RealFft::Forward(std::span<const float> in, std::span<float> re, std::span<float> im) {
  for (size_t i = 0; i < half_; ++i) work_[i] = {in[2 * i], in[2 * i + 1]};
  Transform();
  for (size_t k = 0; k <= half_; ++k) {
    const Complex a = work_[k % half_], b = std::conj(work_[(half_ - k) % half_]);
    const Complex even = 0.5f * (a + b), odd = Times(0.5f * (a - b), {0, -1});
    const Complex sum = even + Times(odd, unpack_[k]);
    re[k] = sum.real();
    im[k] = sum.imag();
  }
}

void RealFft::Inverse(std::span<const float> re, std::span<const float> im, std::span<float> out) {
  const auto at = [&](size_t k) -> Complex { return {re[k], k == 0 || k == half_ ? 0.0f : im[k]}; };
  for (size_t k = 0; k < half_; ++k) {
    const Complex a = at(k), b = std::conj(at(half_ - k));
    const Complex even = 0.5f * (a + b), odd = Times(0.5f * (a - b), std::conj(unpack_[k]));
    // The values are conjugated, so that the forward transform inverts.
    work_[k] = std::conj(even + Times(odd, {0, 1}));
  }
  Transform();
  const float scale = 1.0f / static_cast<float>(half_);
  for (size_t i = 0; i < half_; ++i) {
    out[2 * i] = work_[i].real() * scale;
    out[2 * i + 1] = -work_[i].imag() * scale;
  }
}

}  // namespace trunkline::dsp
