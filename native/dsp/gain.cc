#include "dsp/gain.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trunkline::dsp {
namespace {

// 0 to 1 along half a cosine wave; symmetric, so that a fade-out and a fade-in sum to 1.
float Shape(size_t at, size_t length) {
  const double share = (static_cast<double>(at) + 1) / (static_cast<double>(length) + 1);
  return static_cast<float>(0.5 - 0.5 * std::cos(std::numbers::pi * share));
}

}  // namespace

void GainRamp::To(float gain, float milliseconds) {
  from_ = this->gain();
  to_ = gain;
  length_ =
      from_ == to_
          ? 0
          : static_cast<size_t>(std::max(0.0f, std::round(milliseconds * static_cast<float>(rate_) / 1000)));
  done_ = 0;
}

float GainRamp::gain() const {
  if (!moving()) return to_;
  return done_ == 0 ? from_ : from_ + (to_ - from_) * Shape(done_ - 1, length_);
}

void GainRamp::Process(std::span<float> samples) {
  size_t i = 0;
  for (; i < samples.size() && moving(); ++i) {
    samples[i] *= from_ + (to_ - from_) * Shape(done_, length_);
    ++done_;
  }
  if (to_ == 1) return;
  if (to_ == 0) {
    // It does not multiply, because NaN must not survive a cut.
    std::fill(samples.begin() + static_cast<std::ptrdiff_t>(i), samples.end(), 0.0f);
    return;
  }
  for (; i < samples.size(); ++i) samples[i] *= to_;
}

}  // namespace trunkline::dsp
