#include "dsp/log_mel.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "dsp/mel_scale.h"

namespace trunkline::dsp {
namespace {

constexpr float kLargest = 1e9f;
constexpr size_t kRadices[] = {5, 5, 4, 2};  // their product is kHalf

}  // namespace

struct LogMel::Scratch {
  Lanes re[2][kHalf];
  Lanes im[2][kHalf];
  Lanes power[kBins];
};

LogMel::LogMel(size_t bands) {
  for (size_t i = 0; i < kWindow; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / kWindow;
    window_.push_back(static_cast<float>(0.5 - 0.5 * std::cos(angle)));
    cos_.push_back(static_cast<float>(std::cos(angle)));
    sin_.push_back(static_cast<float>(std::sin(angle)));
  }
  BuildBands(bands);
}

void LogMel::BuildBands(size_t count) {
  for (const MelBand& band : MelBands(count, kRate, kWindow)) {
    bands_.push_back({band.first, {band.weights.begin(), band.weights.end()}});
  }
}

void LogMel::Transform(Scratch& scratch) const {
  size_t points = kHalf, stride = 1, from = 0;
  for (const size_t radix : kRadices) {
    const size_t part = points / radix;
    const size_t step = kWindow / radix;
    for (size_t p = 0; p < part; ++p) {
      for (size_t j = 0; j < radix; ++j) {
        // Twiddle of the output, exp(-2 pi i j p / points), on a circle of kWindow steps.
        const size_t twiddle = j * p * (kWindow / points) % kWindow;
        const float turn_re = cos_[twiddle], turn_im = -sin_[twiddle];
        for (size_t q = 0; q < stride; ++q) {
          Lanes sum_re{}, sum_im{};
          for (size_t k = 0; k < radix; ++k) {
            const Lanes& a_re = scratch.re[from][q + stride * (p + k * part)];
            const Lanes& a_im = scratch.im[from][q + stride * (p + k * part)];
            const float c = cos_[j * k * step % kWindow], s = -sin_[j * k * step % kWindow];
            for (size_t l = 0; l < kLanes; ++l) {
              sum_re.at[l] += a_re.at[l] * c - a_im.at[l] * s;
              sum_im.at[l] += a_re.at[l] * s + a_im.at[l] * c;
            }
          }
          Lanes& y_re = scratch.re[1 - from][q + stride * (radix * p + j)];
          Lanes& y_im = scratch.im[1 - from][q + stride * (radix * p + j)];
          for (size_t l = 0; l < kLanes; ++l) {
            y_re.at[l] = sum_re.at[l] * turn_re - sum_im.at[l] * turn_im;
            y_im.at[l] = sum_re.at[l] * turn_im + sum_im.at[l] * turn_re;
          }
        }
      }
    }
    points = part;
    stride *= radix;
    from = 1 - from;
  }
}

// The half-size complex transform of (even, odd) samples -> squared magnitudes of the real one.
void LogMel::Power(Scratch& scratch) const {
  for (size_t k = 0; k < kBins; ++k) {
    const size_t a = k % kHalf, b = (kHalf - k) % kHalf;
    const float c = k == kHalf ? -1.0f : cos_[k], s = k == kHalf ? 0.0f : sin_[k];
    for (size_t l = 0; l < kLanes; ++l) {
      const float zr = scratch.re[0][a].at[l], zi = scratch.im[0][a].at[l];
      const float wr = scratch.re[0][b].at[l], wi = -scratch.im[0][b].at[l];
      const float even_re = 0.5f * (zr + wr), even_im = 0.5f * (zi + wi);
      const float odd_re = 0.5f * (zi - wi), odd_im = -0.5f * (zr - wr);
      const float re = even_re + c * odd_re + s * odd_im;
      const float im = even_im + c * odd_im - s * odd_re;
      scratch.power[k].at[l] = re * re + im * im;
    }
  }
}

void LogMel::Compute(std::span<const float> samples, size_t frames, std::span<float> out) const {
  const auto total = static_cast<ptrdiff_t>(frames * kHop);
  const auto given = std::min(static_cast<ptrdiff_t>(samples.size()), total);
  const auto sample = [&](ptrdiff_t i) {
    if (i < 0) i = -i;
    if (i >= total) i = 2 * (total - 1) - i;
    const float value = i >= 0 && i < given ? samples[static_cast<size_t>(i)] : 0.0f;
    return std::abs(value) <= kLargest ? value : 0.0f;
  };
  constexpr float kFloor = 1e-10f;
  float loudest = std::log10(kFloor);
  // Frames wholly in the padding are silence; they are not transformed.
  const size_t busy =
      std::min(frames, static_cast<size_t>(given + static_cast<ptrdiff_t>(kWindow)) / kHop + 2);
  auto scratch = std::make_unique<Scratch>();
  for (size_t first = 0; first < busy; first += kLanes) {
    const size_t count = std::min(kLanes, busy - first);
    for (size_t i = 0; i < kHalf; ++i) {
      for (size_t l = 0; l < kLanes; ++l) {
        const auto at = static_cast<ptrdiff_t>((first + std::min(l, count - 1)) * kHop + 2 * i) -
                        static_cast<ptrdiff_t>(kWindow / 2);
        scratch->re[0][i].at[l] = sample(at) * window_[2 * i];
        scratch->im[0][i].at[l] = sample(at + 1) * window_[2 * i + 1];
      }
    }
    Transform(*scratch);
    Power(*scratch);
    for (size_t b = 0; b < bands_.size(); ++b) {
      Lanes energy{};
      for (size_t k = 0; k < bands_[b].weights.size(); ++k) {
        const Lanes& power = scratch->power[bands_[b].first + k];
        for (size_t l = 0; l < kLanes; ++l) energy.at[l] += power.at[l] * bands_[b].weights[k];
      }
      for (size_t l = 0; l < count; ++l) {
        const float value = std::log10(std::max(energy.at[l], kFloor));
        out[b * frames + first + l] = value;
        loudest = std::max(loudest, value);
      }
    }
  }
  for (size_t b = 0; b < bands_.size(); ++b) {
    float* row = out.data() + b * frames;
    std::fill(row + busy, row + frames, std::log10(kFloor));
    for (size_t f = 0; f < frames; ++f) row[f] = (std::max(row[f], loudest - 8.0f) + 4.0f) / 4.0f;
  }
}

}  // namespace trunkline::dsp
