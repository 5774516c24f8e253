#include "mark/reader.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trunkline::mark {
namespace {

using Row = std::array<float, kBands>;

constexpr size_t kFrame = 160, kHop = 32, kBins = kFrame / 2 + 1;
constexpr double kHopSeconds = static_cast<double>(kHop) / kReadRate;
// Delays are tried in steps of a quarter of a cell.
constexpr size_t kPhases = 4;
constexpr size_t kDelays = kCells * kPhases;
constexpr int kSpeeds = 16;  // to either side
constexpr double kSpeedStep = 0.002;
// Levels count against those of their surroundings: bands and frames to either side.
constexpr size_t kBandsAround = 3, kFramesAround = 7;
// Below the loudest frames by as much there is no speech.
constexpr double kFloor = 3.2e-5;
constexpr float kClip = 2;
constexpr float kUnheard = 0.2F;
static_assert(kTried == 2 * kDelays * (4 * kSpeeds + 1));

double SpeedOf(int step) {
  return 1 + step * kSpeedStep;
}

// Of each place the mean of what lies around it; ends are extended.
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

double Square(float value) {
  return static_cast<double>(value) * value;
}

}  // namespace

struct Reader::Peak {
  float value = 0;
  double pitch = 1, speed = 1;
  size_t delay = 0;
};

Reader::Reader(const Code& code) : pattern_(code), fft_(kFrame), shape_(kFrame), folded_(kDelays) {
  for (size_t i = 0; i < kFrame; ++i)
    shape_[i] =
        static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / kFrame));
}

Reader::~Reader() = default;

void Reader::Spectra(std::span<const float> samples) {
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
  levels_.resize(frames_);
  smoothed_.resize(frames_);
}

// How many decibels each band of each frame stands out by.
void Reader::Levels(double pitch) {
  std::array<size_t, kBands + 1> below;
  std::array<float, kBands + 1> part;
  for (size_t e = 0; e <= kBands; ++e) {
    const double hz = (kLowestHz + kBandHz * static_cast<double>(e)) * pitch;
    const double place = std::min<double>(hz / kReadRate * kFrame + 0.5, kBins - 1e-3);
    below[e] = static_cast<size_t>(place);
    part[e] = static_cast<float>(place - static_cast<double>(below[e]));
  }
  std::vector<float> totals(frames_);
  for (size_t f = 0; f < frames_; ++f) {
    const float* sums = &sums_[f * (kBins + 1)];
    float last = 0;
    for (size_t e = 0; e <= kBands; ++e) {
      const float now = sums[below[e]] + part[e] * (sums[below[e] + 1] - sums[below[e]]);
      if (e > 0) levels_[f][e - 1] = std::max(0.0F, now - last);
      if (e > 0) totals[f] += levels_[f][e - 1];
      last = now;
    }
  }
  std::vector<float> sorted = totals;
  const auto loud = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() * 95 / 100);
  std::nth_element(sorted.begin(), loud, sorted.end());
  const float floor = static_cast<float>(*loud / kBands * kFloor) + 1e-12F;
  std::vector<std::array<bool, kBands>> heard(frames_);
  for (size_t f = 0; f < frames_; ++f) {
    for (size_t b = 0; b < kBands; ++b) {
      heard[f][b] = levels_[f][b] > 2 * floor;
      levels_[f][b] = std::log2(levels_[f][b] + floor);
    }
    LessMeanOfBands(levels_[f]);
  }
  MeanAround(levels_, smoothed_);
  double power = 0;
  size_t count = 0;
  for (size_t f = 0; f < frames_; ++f) {
    for (size_t b = 0; b < kBands; ++b) {
      levels_[f][b] -= smoothed_[f][b];
      if (!heard[f][b]) continue;
      power += static_cast<double>(levels_[f][b]) * levels_[f][b];
      ++count;
    }
  }
  const auto most =
      count == 0 ? 1 : static_cast<float>(kClip * std::sqrt(power / static_cast<double>(count)));
  for (size_t f = 0; f < frames_; ++f) {
    for (size_t b = 0; b < kBands; ++b) {
      const float level = std::clamp(levels_[f][b], -most, most);
      levels_[f][b] = heard[f][b] ? level : level * kUnheard;
    }
  }
}

// Each place holds the sum over the cell that begins there. The signs of a code that has nothing to do with the sound are as
// if drawn by coins, so that what chance gives at a place is known exactly: it deviates by the root of the squares.
void Reader::Fold(double speed) {
  std::vector<Row> places(kDelays, Row{});
  for (size_t f = 0; f < frames_; ++f) {
    const double phase = static_cast<double>(f) * kHopSeconds * speed / kCellSeconds * kPhases;
    Row& place = places[static_cast<size_t>(phase) % kDelays];
    for (size_t b = 0; b < kBands; ++b) place[b] += levels_[f][b];
  }
  for (size_t p = 0; p < kDelays; ++p) {
    Row& sum = folded_[p];
    sum = Row{};
    for (size_t i = 0; i < kPhases; ++i) {
      const Row& place = places[(p + i) % kDelays];
      for (size_t b = 0; b < kBands; ++b) sum[b] += place[b];
    }
  }
  for (size_t phase = 0; phase < kPhases; ++phase) {
    std::array<double, 2> power{};  // of the places that are even and odd, as a board of chess is
    for (size_t cell = 0; cell < kCells; ++cell) {
      const Row& row = folded_[cell * kPhases + phase];
      for (size_t b = 0; b < kBands; ++b) power[(cell + b) & 1] += Square(row[b]);
    }
    chance_[phase] = {static_cast<float>(std::sqrt(power[0])), static_cast<float>(std::sqrt(power[1]))};
  }
}

// Which places the common cells take at a delay: the even ones, or the odd ones.
const float& Reader::ChanceOfCommon(size_t delay) const {
  return chance_[delay % kPhases][(delay / kPhases) & 1];
}

void Reader::Search(double pitch, double speed, Peak& whole, Peak& common) {
  for (size_t delay = 0; delay < kDelays; ++delay) {
    Row all{}, shared{};
    for (size_t cell = 0; cell < kCells; ++cell) {
      const Row& row = folded_[(cell * kPhases + delay) % kDelays];
      const Row& signs = pattern_.signs(cell);
      const Row& commons = pattern_.common(cell);
      for (size_t b = 0; b < kBands; ++b) {
        all[b] += row[b] * signs[b];
        shared[b] += row[b] * commons[b];
      }
    }
    float w = 0, c = 0;
    for (size_t b = 0; b < kBands; ++b) {
      w += all[b];
      c += shared[b];
    }
    const auto& [even, odd] = chance_[delay % kPhases];
    if (even <= 0 || odd <= 0) continue;
    w /= std::hypot(even, odd);
    c /= ChanceOfCommon(delay);
    if (w > whole.value) whole = {w, pitch, speed, delay};
    if (c > common.value) common = {c, pitch, speed, delay};
  }
}

void Reader::ReadTag(const Peak& peak, Reading& reading) {
  Levels(peak.pitch);
  Fold(peak.speed);
  double power = 0;
  for (size_t cell = 0; cell < kCells; ++cell) {
    const Row& row = folded_[(cell * kPhases + peak.delay) % kDelays];
    for (size_t b = 0; b < kBands; ++b) {
      const size_t bit = pattern_.bit(cell, b);
      if (bit == kTagBits) continue;
      power += Square(row[b]);
      reading.bits[bit] += row[b] * pattern_.carrier(cell, b);
      reading.tag += row[b] * pattern_.signs(cell)[b];
    }
  }
  const auto chance = static_cast<float>(std::sqrt(power));
  reading.tag /= chance;
  for (float& bit : reading.bits) bit /= chance;
}

Reading Reader::Read(std::span<const float> samples) {
  Reading reading;
  Spectra(samples.first(std::min(samples.size(), kWindow)));
  if (frames_ < kDelays / 4) return reading;
  Peak whole, common;
  for (int step = -kSpeeds; step <= kSpeeds; ++step) {
    Levels(SpeedOf(step));
    Fold(SpeedOf(step));
    Search(SpeedOf(step), SpeedOf(step), whole, common);
  }
  // Stretched, and the pitch kept.
  Levels(1);
  for (int step = -kSpeeds; step <= kSpeeds; ++step) {
    if (step == 0) continue;
    Fold(SpeedOf(step));
    Search(1, SpeedOf(step), whole, common);
  }
  if (whole.value <= 0 && common.value <= 0) return reading;
  reading.whole = whole.value;
  reading.common = common.value;
  const Peak& peak = reading.whole > reading.common ? whole : common;
  reading.speed = static_cast<float>(peak.speed);
  ReadTag(peak, reading);
  return reading;
}

}  // namespace trunkline::mark
