#include "lanes/amd/fingerprint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trunkline::amd {
namespace {

constexpr double kLowHz = 300, kHighHz = 3000;

}  // namespace

Fingerprint::Fingerprint()
    : fft_(kFrame), window_(kFrame), samples_(kFrame), work_(kFrame), re_(fft_.bins()), im_(fft_.bins()) {
  for (size_t i = 0; i < kFrame; ++i) {
    window_[i] =
        static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / kFrame));
  }
  for (size_t i = 0; i < edges_.size(); ++i) {
    const double hertz = kLowHz * std::pow(kHighHz / kLowHz, static_cast<double>(i) / kBands);
    edges_[i] = static_cast<size_t>(std::lround(hertz * kFrame / kRate));
  }
}

void Fingerprint::Frame(std::span<const float> hop) {
  if (full()) return;
  std::copy(samples_.begin() + kHop, samples_.end(), samples_.begin());
  std::copy(hop.begin(), hop.end(), samples_.end() - kHop);
  for (size_t i = 0; i < kFrame; ++i) work_[i] = samples_[i] * window_[i];
  fft_.Forward(work_, re_, im_);
  std::array<double, kBands> bands = {};
  for (size_t band = 0; band < kBands; ++band) {
    for (size_t i = edges_[band]; i < edges_[band + 1]; ++i) bands[band] += re_[i] * re_[i] + im_[i] * im_[i];
    bands[band] = std::log(bands[band] + 1e-6);
  }
  // The first word compares with a window that was not full yet.
  if (++hops_ > kFrame / kHop) {
    uint16_t word = 0;
    for (size_t band = 0; band + 1 < kBands; ++band) {
      const double change = (bands[band] - bands[band + 1]) - (last_[band] - last_[band + 1]);
      word = static_cast<uint16_t>(word << 1 | (change > 0 ? 1 : 0));
    }
    words_[count_++] = word;
  }
  last_ = bands;
}

}  // namespace trunkline::amd
