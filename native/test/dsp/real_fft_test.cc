#include "dsp/real_fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace trunkline::dsp {
namespace {

std::vector<float> Noise(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> out(count);
  for (float& one : out) one = uniform(random);
  return out;
}

TEST(RealFft, IsTheTransformByItsDefinitionAndComesBack) {
  for (const size_t size : {2, 4, 6, 10, 16, 160, 192, 320, 480, 512}) {
    RealFft fft(size);
    const auto in = Noise(size, static_cast<uint32_t>(size));
    std::vector<float> re(fft.bins()), im(fft.bins()), back(size);
    fft.Forward(in, re, im);
    for (size_t k = 0; k < fft.bins(); ++k) {
      double sum_re = 0, sum_im = 0;
      for (size_t i = 0; i < size; ++i) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(k * i) / static_cast<double>(size);
        sum_re += in[i] * std::cos(angle);
        sum_im += in[i] * std::sin(angle);
      }
      EXPECT_NEAR(re[k], sum_re, 2e-4) << size << " bin " << k;
      EXPECT_NEAR(im[k], sum_im, 2e-4) << size << " bin " << k;
    }
    fft.Inverse(re, im, back);
    for (size_t i = 0; i < size; ++i) EXPECT_NEAR(back[i], in[i], 2e-6) << size;
  }
}

}  // namespace
}  // namespace trunkline::dsp
