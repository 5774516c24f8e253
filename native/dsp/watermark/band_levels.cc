#include "dsp/watermark/band_levels.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trunkline::watermark {
namespace {

constexpr size_t kBins = kFrame / 2 + 1;
// A level is compared with this many bands and frames to either side.
constexpr size_t kBandsAround = 3, kFramesAround = 7;
// A frame this far below the loudest holds no speech.
constexpr double kFloor = 3.2e-5;
constexpr float kClip = 2;
constexpr float kUnheard = 0.2F;

// The mean around each place; the ends are extended.
void MeanAround(std::span<const Row> in, std::span<Row> out) {
  const auto last = static_cast<ptrdiff_t>(in.size()) - 1;
  const auto around = static_cast<ptrdiff_t>(kFramesAround);
  Row sum{};
  for (ptrdiff_t i = -around; i <= around; ++i) {
    const Row& row = in[static_cast<size_t>(std::clamp<ptrdiff_t>(i, 0, last))];
    for (size_t b = 0; b < kBands; ++b) sum[b] += row[b];
  }
  for (ptrdiff_t i = 0; i <= last; ++i) {
    for (size_t b = 0; b < kBands; ++b) out[static_cast<size_t>(i)][b] = sum[b] / (2 * kFramesAround + 1);
    const Row& comes = in[static_cast<size_t>(std::min(last, i + around + 1))];
    const Row& goes = in[static_cast<size_t>(std::max<ptrdiff_t>(0, i - around))];
    for (size_t b = 0; b < kBands; ++b) sum[b] += comes[b] - goes[b];
  }
}

void LessMeanOfBands(Row& row) {
  const Row in = row;
  const auto last = static_cast<ptrdiff_t>(kBands) - 1;
  const auto around = static_cast<ptrdiff_t>(kBandsAround);
  for (ptrdiff_t b = 0; b <= last; ++b) {
    float sum = 0;
    for (ptrdiff_t i = b - around; i <= b + around; ++i)
      sum += in[static_cast<size_t>(std::clamp<ptrdiff_t>(i, 0, last))];
    row[static_cast<size_t>(b)] -= sum / (2 * kBandsAround + 1);
  }
}

}  // namespace

BandLevels::BandLevels() : fft_(kFrame), shape_(kFrame) {
  for (size_t i = 0; i < kFrame; ++i)
    shape_[i] =
        static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / kFrame));
}

void BandLevels::Hear(std::span<const float> samples) {
  frames_ = samples.size() < kFrame ? 0 : (samples.size() - kFrame) / kHop + 1;
  sums_.assign(frames_ * (kBins + 1), 0);
  std::array<float, kFrame> windowed;
  std::array<float, kBins> re, im;
  for (size_t f = 0; f < frames_; ++f) {
    for (size_t i = 0; i < kFrame; ++i) windowed[i] = samples[f * kHop + i] * shape_[i];
    fft_.Forward(windowed, re, im);
    float* sums = &sums_[f * (kBins + 1)];
    for (size_t k = 0; k < kBins; ++k) sums[k + 1] = sums[k] + re[k] * re[k] + im[k] * im[k];
  }
  rows_.resize(frames_);
  around_.resize(frames_);
}

void BandLevels::At(double pitch) {
  std::array<size_t, kBands + 1> below;
  std::array<float, kBands + 1> part;
  for (size_t e = 0; e <= kBands; ++e) {
    const double hz = (kLowestHz + kBandHz * static_cast<double>(e)) * pitch;
    const double place = std::min<double>(hz / kDetectionRate * kFrame + 0.5, kBins - 1e-3);
    below[e] = static_cast<size_t>(place);
    part[e] = static_cast<float>(place - static_cast<double>(below[e]));
  }
  totals_.assign(frames_, 0);
  for (size_t f = 0; f < frames_; ++f) {
    const float* sums = &sums_[f * (kBins + 1)];
    float last = 0;
    for (size_t e = 0; e <= kBands; ++e) {
      const float now = sums[below[e]] + part[e] * (sums[below[e] + 1] - sums[below[e]]);
      if (e > 0) rows_[f][e - 1] = std::max(0.0F, now - last);
      if (e > 0) totals_[f] += rows_[f][e - 1];
      last = now;
    }
  }
  std::vector<float> sorted = totals_;
  const auto loud = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() * 95 / 100);
  if (frames_ == 0) return;
  std::nth_element(sorted.begin(), loud, sorted.end());
  loud_ = *loud;
  const float floor = static_cast<float>(loud_ / kBands * kFloor) + 1e-12F;
  std::vector<std::array<bool, kBands>> heard(frames_);
  for (size_t f = 0; f < frames_; ++f) {
    for (size_t b = 0; b < kBands; ++b) {
      heard[f][b] = rows_[f][b] > 2 * floor;
      rows_[f][b] = std::log2(rows_[f][b] + floor);
    }
    LessMeanOfBands(rows_[f]);
  }
  MeanAround(rows_, around_);
  double power = 0;
  size_t count = 0;
  for (size_t f = 0; f < frames_; ++f) {
    for (size_t b = 0; b < kBands; ++b) {
      rows_[f][b] -= around_[f][b];
      if (!heard[f][b]) continue;
      power += static_cast<double>(rows_[f][b]) * rows_[f][b];
      ++count;
    }
  }
  const auto most =
      count == 0 ? 1 : static_cast<float>(kClip * std::sqrt(power / static_cast<double>(count)));
  for (size_t f = 0; f < frames_; ++f) {
    for (size_t b = 0; b < kBands; ++b) {
      const float level = std::clamp(rows_[f][b], -most, most);
      rows_[f][b] = heard[f][b] ? level : level * kUnheard;
    }
  }
}

}  // namespace trunkline::watermark
