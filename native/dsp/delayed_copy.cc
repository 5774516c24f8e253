#include "dsp/delayed_copy.h"

#include <algorithm>
#include <cmath>

namespace trunkline::dsp {
namespace {

// The share of the previous sample that is subtracted, so that voices of the same pitch differ.
constexpr float kFlattened = 0.9f;
// Quieter audio matches by chance; the limit is a mean square.
constexpr float kMinPower = 1e-9f;

size_t Size(size_t least) {
  size_t size = 2;
  while (size < least) size *= 2;
  return size;
}

// Returns the energy.
float Flatten(std::span<const int16_t> from, std::span<float> to) {
  float before = 0, energy = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const float now = static_cast<float>(from[i]) / 32768.0f;
    to[i] = now - kFlattened * before;
    before = now;
    energy += to[i] * to[i];
  }
  std::fill(to.begin() + static_cast<ptrdiff_t>(from.size()), to.end(), 0.0f);
  return energy;
}

}  // namespace

DelayedCopy::DelayedCopy(size_t heard, size_t latest)
    : heard_(heard),
      latest_(latest),
      fft_(Size(heard + latest)),
      time_(fft_.size()),
      sums_(heard + latest + 1),
      heard_re_(fft_.bins()),
      heard_im_(fft_.bins()),
      re_(fft_.bins()),
      im_(fft_.bins()) {}

DelayedCopy::Found DelayedCopy::Find(std::span<const int16_t> heard, std::span<const int16_t> played) {
  const float energy = Flatten(heard, time_);
  if (energy < kMinPower * static_cast<float>(heard_)) return {};
  fft_.Forward(time_, heard_re_, heard_im_);
  Flatten(played, time_);
  for (size_t i = 0; i < heard_ + latest_; ++i) sums_[i + 1] = sums_[i] + time_[i] * time_[i];
  fft_.Forward(time_, re_, im_);
  for (size_t k = 0; k < fft_.bins(); ++k) {
    const float re = re_[k] * heard_re_[k] + im_[k] * heard_im_[k];
    im_[k] = im_[k] * heard_re_[k] - re_[k] * heard_im_[k];
    re_[k] = re;
  }
  fft_.Inverse(re_, im_, time_);
  Found found;
  for (size_t from = 0; from <= latest_; ++from) {
    const float there = sums_[from + heard_] - sums_[from];
    if (there < kMinPower * static_cast<float>(heard_)) continue;
    const float share = std::abs(time_[from]) / std::sqrt(energy * there);
    if (share <= found.share) continue;
    found = {share, latest_ - from, 10 * std::log10(energy / there)};
  }
  return found;
}

}  // namespace trunkline::dsp
