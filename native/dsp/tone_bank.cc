#include "dsp/tone_bank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <numbers>
#include <tuple>

#include "dsp/convert.h"
#include "dsp/cpu.h"
#include "dsp/filter_bank.h"
#include "dsp/resample_kernels.h"

namespace trunkline::dsp {

struct ToneBankTables {
  std::vector<double> frequencies;
  size_t tiles;
  // Tile by tile, row by row: the cosines and the negative sines of eight frequencies under the window.
  std::unique_ptr<float[], AlignedDelete> coefficients;
  std::vector<float> squared_window;  // weighs the power; sums to 1
};

namespace {

constexpr size_t kPerTile = kTile / 2;

std::shared_ptr<const ToneBankTables> BuildTables(int rate, const std::vector<double>& frequencies,
                                                  size_t window) {
  auto tables = std::make_shared<ToneBankTables>();
  tables->frequencies = frequencies;
  tables->tiles = (frequencies.size() + kPerTile - 1) / kPerTile;
  tables->coefficients = AllocateCoefficients(tables->tiles * window * kTile);
  tables->squared_window.resize(window);
  double square_sum = 0;
  std::vector<double> hann(window);
  for (size_t i = 0; i < window; ++i) {
    hann[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * (static_cast<double>(i) + 0.5) /
                                   static_cast<double>(window));
    square_sum += hann[i] * hann[i];
  }
  for (size_t i = 0; i < window; ++i) {
    tables->squared_window[i] = static_cast<float>(hann[i] * hann[i] / square_sum);
    for (size_t f = 0; f < frequencies.size(); ++f) {
      const double angle = 2 * std::numbers::pi * frequencies[f] * static_cast<double>(i) / rate;
      // The window's mean is 1/2, so a sine of amplitude A sums to A * window / 4.
      const double weight = hann[i] * 4 / static_cast<double>(window);
      float* row = tables->coefficients.get() + (f / kPerTile * window + i) * kTile;
      row[2 * (f % kPerTile)] = static_cast<float>(weight * std::cos(angle));
      row[2 * (f % kPerTile) + 1] = static_cast<float>(-weight * std::sin(angle));
    }
  }
  return tables;
}

std::shared_ptr<const ToneBankTables> FindTables(int rate, const std::vector<double>& frequencies,
                                                 size_t window) {
  static std::mutex mutex;
  static std::map<std::tuple<int, size_t, std::vector<double>>, std::shared_ptr<const ToneBankTables>> known;
  const std::lock_guard lock(mutex);
  auto& tables = known[{rate, window, frequencies}];
  if (!tables) tables = BuildTables(rate, frequencies, window);
  return tables;
}

}  // namespace

ToneBank::ToneBank(int rate, const std::vector<double>& frequencies, int window_ms, int hop_ms)
    : rate_(std::clamp(rate, 8000, 48000)),
      // Even, as the kernels want rows in pairs.
      window_(static_cast<size_t>(rate_ * window_ms / 2000 * 2)),
      hop_(static_cast<size_t>(rate_ * hop_ms / 1000)),
      tables_(FindTables(rate_, frequencies, window_)),
      kernels_(&ResampleKernelsFor(BestIsa())),
      samples_(window_),
      sums_(tables_->tiles * kTile),
      bins_(frequencies.size()),
      previous_(frequencies.size()) {
  Reset();
}

void ToneBank::Reset() {
  std::ranges::fill(samples_, 0.0f);
  std::ranges::fill(bins_, std::complex<float>());
  std::ranges::fill(previous_, std::complex<float>());
  filled_ = window_ - hop_;
  pushed_ = 0;
  held_ = 0;
}

double ToneBank::frequency(size_t bin) const {
  return tables_->frequencies[bin];
}

size_t ToneBank::Take(std::span<const float> samples) {
  const size_t count = std::min(samples.size(), window_ - filled_);
  Contain(samples.first(count), std::span(samples_).subspan(filled_, count), held_);
  filled_ += count;
  pushed_ += static_cast<int64_t>(count);
  return count;
}

void ToneBank::Measure() {
  std::swap(bins_, previous_);
  std::array<const float*, kMaxEach> inputs, coefficients;
  inputs.fill(samples_.data());
  for (size_t tile = 0; tile < tables_->tiles; tile += kMaxEach) {
    const size_t count = std::min<size_t>(kMaxEach, tables_->tiles - tile);
    for (size_t i = 0; i < count; ++i)
      coefficients[i] = tables_->coefficients.get() + (tile + i) * window_ * kTile;
    kernels_->tiles_of_each(inputs.data(), coefficients.data(), static_cast<int>(window_),
                            static_cast<int>(count), sums_.data() + tile * kTile);
  }
  for (size_t i = 0; i < bins_.size(); ++i) bins_[i] = {sums_[2 * i], sums_[2 * i + 1]};
  std::array<float, 16> sums = {};
  const float* weight = tables_->squared_window.data();
  for (size_t i = 0; i < window_; ++i) sums[i % 16] += samples_[i] * samples_[i] * weight[i];
  power_ = 0;
  for (float sum : sums) power_ += sum;
}

void ToneBank::Advance() {
  std::memmove(samples_.data(), samples_.data() + hop_, (window_ - hop_) * sizeof(float));
  filled_ = window_ - hop_;
}

double ToneBank::FrequencyAt(const ToneWindow& window, size_t bin) const {
  const double seconds = static_cast<double>(hop_) / rate_;
  const double turned = std::arg(window.bins[bin] * std::conj(window.previous[bin]));
  const double expected = 2 * std::numbers::pi * frequency(bin) * seconds;
  return frequency(bin) +
         std::remainder(turned - expected, 2 * std::numbers::pi) / (2 * std::numbers::pi * seconds);
}

double ToneBank::ResponseAt(double offset) const {
  const double x = offset * static_cast<double>(window_) / rate_;
  if (std::abs(x) < 1e-6) return 1;
  if (std::abs(std::abs(x) - 1) < 1e-6) return 0.5;
  return std::abs(std::sin(std::numbers::pi * x) / (std::numbers::pi * x) / (1 - x * x));
}

}  // namespace trunkline::dsp
