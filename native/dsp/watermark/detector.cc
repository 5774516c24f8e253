#include "dsp/watermark/detector.h"

#include <algorithm>
#include <cmath>

namespace trunkline::watermark {
namespace {

constexpr size_t kDelays = kCells * kPhases;
static_assert(kTried == 2 * kDelays * (4 * kSpeeds + 1));

}  // namespace

struct WatermarkDetector::Peak {
  float value = 0;
  double pitch = 1, speed = 1;
  size_t delay = 0;
};

WatermarkDetector::WatermarkDetector(const WatermarkCode& code) : pattern_(code), folded_(kDelays) {}

WatermarkDetector::~WatermarkDetector() = default;

// Each place holds the sum over the cell that begins there. For an unrelated code the signs are coin flips,
// so the standard deviation at a place is known exactly: the root of the sum of squares.
void WatermarkDetector::Fold(double speed) {
  std::vector<Row> places(kDelays, Row{});
  const auto rows = levels_.rows();
  for (size_t f = 0; f < rows.size(); ++f) {
    const double phase = static_cast<double>(f) * kHopSeconds * speed / kCellSeconds * kPhases;
    Row& place = places[static_cast<size_t>(phase) % kDelays];
    for (size_t b = 0; b < kBands; ++b) place[b] += rows[f][b];
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
    std::array<double, 2> power{};
    for (size_t cell = 0; cell < kCells; ++cell) {
      const Row& row = folded_[cell * kPhases + phase];
      for (size_t b = 0; b < kBands; ++b) power[(cell + b) & 1] += Square(row[b]);
    }
    chance_[phase] = {static_cast<float>(std::sqrt(power[0])), static_cast<float>(std::sqrt(power[1]))};
  }
}

// The common cells take the even or the odd places, depending on the delay.
const float& WatermarkDetector::ChanceOfCommon(size_t delay) const {
  return chance_[delay % kPhases][(delay / kPhases) & 1];
}

void WatermarkDetector::Search(double pitch, double speed, Peak& whole, Peak& common) {
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

void WatermarkDetector::ReadTag(const Peak& peak, Detection& reading) {
  levels_.At(peak.pitch);
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

Detection WatermarkDetector::Read(std::span<const float> samples) {
  Detection reading;
  levels_.Hear(samples.first(std::min(samples.size(), kWindow)));
  if (levels_.frames() < kDelays / 4) return reading;
  Peak whole, common;
  for (int step = -kSpeeds; step <= kSpeeds; ++step) {
    levels_.At(SpeedOf(step));
    Fold(SpeedOf(step));
    Search(SpeedOf(step), SpeedOf(step), whole, common);
  }
  // These trials cover time-stretched audio, whose pitch is unchanged.
  levels_.At(1);
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

}  // namespace trunkline::watermark
