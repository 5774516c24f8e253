#include "dsp/watermark/phrase_detector.h"

#include <algorithm>
#include <cmath>

namespace trunkline::watermark {
namespace {

// Audio this far below the loudest frames is silence between phrases.
constexpr float kSilence = 1e-3F;
constexpr size_t kSilentFrames = 10;
// More beginnings in ten seconds are not phrases and would cost time.
constexpr size_t kMaxBeginnings = 64;
// The pattern begins at one of kPlaces frames, from kBefore before a rise on.
constexpr size_t kBefore = 12, kPlaces = 16;
// The expected score of a phrase's cell, in units of its standard deviation.
constexpr double kExpected = 0.12;
constexpr double kPrice = 4;
// A phrase mostly ends with its pattern or where the next begins; the bound counts other ends as this rare.
constexpr double kTruncatedShare = 0.1;
constexpr double kPitchesAndSpeeds = 4 * kSpeeds + 1;

double Sum(const Row& row) {
  double sum = 0;
  for (const float part : row) sum += part;
  return sum;
}

// The logarithm of the number of ways to choose `taken` of `of`.
double LogChoices(size_t of, size_t taken) {
  const auto n = static_cast<double>(of), k = static_cast<double>(taken);
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

size_t FrameOf(size_t cell, double speed) {
  return static_cast<size_t>(static_cast<double>(cell * kPhases) / speed + 0.5);
}

}  // namespace

PhraseDetector::PhraseDetector(const WatermarkCode& code) : pattern_(code) {
  for (size_t cell = 0; cell < kCells; ++cell) {
    all_[cell] = pattern_.signs(cell);
    common_[cell] = pattern_.common(cell);
  }
}

void PhraseDetector::FindBeginnings() {
  beginnings_.clear();
  const float silence = levels_.loud() * kSilence;
  size_t silent = kSilentFrames;
  for (size_t f = 0; f < levels_.frames(); ++f) {
    if (levels_.totals()[f] < silence) {
      ++silent;
      continue;
    }
    if (silent >= kSilentFrames) beginnings_.push_back(f);
    if (beginnings_.size() == kMaxBeginnings) return;
    silent = 0;
  }
}

void PhraseDetector::SumCells(double speed) {
  const auto rows = levels_.rows();
  const size_t wide = FrameOf(1, speed);
  sums_.assign(rows.size(), Row{});
  double power = 0;
  size_t heard = 0;
  for (size_t f = 0; f + wide <= rows.size(); ++f) {
    for (size_t i = 0; i < wide; ++i) {
      for (size_t b = 0; b < kBands; ++b) sums_[f][b] += rows[f + i][b];
    }
    if (levels_.totals()[f] < levels_.loud() * kSilence) continue;
    for (size_t b = 0; b < kBands; ++b) power += Square(sums_[f][b]);
    heard += kBands;
  }
  power_ = heard == 0 || power <= 0 ? 1 : power / static_cast<double>(heard);
}

// Scores the phrase that begins at a frame, for each beginning that the next one may have.
void PhraseDetector::TryBeginning(size_t which, size_t first, double speed, const Signs& signs) {
  Row said{}, power{};
  size_t next = which + 1;
  for (size_t cell = 0; next <= beginnings_.size(); ++cell) {
    const size_t frame = first + FrameOf(cell, speed);
    const bool ends = cell == kCells || frame >= sums_.size();
    while (next <= beginnings_.size() &&
           (ends || (next < beginnings_.size() && frame + kBefore >= beginnings_[next]))) {
      const double value = kExpected * Sum(said) / std::sqrt(power_) -
                           kExpected * kExpected / 2 * Sum(power) / power_ - kPrice +
                           (ends ? later_[next] : best_[next].value);
      if (value > best_[which].value) best_[which] = {value, {first, cell, !ends}, next};
      if (ends) return;
      ++next;
    }
    for (size_t b = 0; b < kBands; ++b) {
      said[b] += sums_[frame][b] * signs[cell][b];
      power[b] += sums_[frame][b] * sums_[frame][b] * signs[cell][b] * signs[cell][b];
    }
  }
}

std::vector<PhraseDetector::Line> PhraseDetector::LikelyPhrases(double speed, const Signs& signs) {
  const size_t count = beginnings_.size();
  best_.assign(count + 1, Best{});
  later_.assign(count + 1, 0);
  for (size_t which = count; which-- > 0;) {
    best_[which].value = -kPrice;
    for (size_t place = 0; place < kPlaces; ++place) {
      const size_t first = beginnings_[which] + place;
      if (first >= kBefore) TryBeginning(which, first - kBefore, speed, signs);
    }
    later_[which] = std::max(later_[which + 1], best_[which].value);
  }
  std::vector<Line> lines;
  size_t follows = count;
  for (size_t which = 0; which < count;) {
    const Best& best = best_[which];
    const bool taken = best.value >= later_[which] && best.line.cells > 0 && best.value > 0;
    if (taken && which == follows) lines.back().truncated = false;
    if (taken) lines.push_back(best.line);
    which = taken ? best.next : which + 1;
    if (taken) follows = which;
  }
  return lines;
}

PhraseDetector::Signs PhraseDetector::Folded(std::span<const Line> lines, double speed) const {
  Signs folded{};
  for (const auto& [first, cells, truncated] : lines) {
    for (size_t cell = 0; cell < cells; ++cell) {
      const Row& row = sums_[first + FrameOf(cell, speed)];
      for (size_t b = 0; b < kBands; ++b) folded[cell][b] += row[b];
    }
  }
  return folded;
}

// Hoeffding's bound, less the logarithm of all choices: which rises begin phrases, where, and how each ends.
// The rises depend on the audio alone.
double PhraseDetector::Bound(const Signs& folded, std::span<const Line> lines, const Signs& signs) const {
  double said = 0, power = 0;
  for (size_t cell = 0; cell < kCells; ++cell) {
    for (size_t b = 0; b < kBands; ++b) {
      said += folded[cell][b] * signs[cell][b];
      if (signs[cell][b] != 0) power += Square(folded[cell][b]);
    }
  }
  if (said <= 0 || power <= 0) return 0;
  const auto taken = static_cast<double>(lines.size()), all = static_cast<double>(beginnings_.size());
  double choices = LogChoices(beginnings_.size(), lines.size()) + taken * std::log(kPlaces) + std::log(all) +
                   std::log(2 * kPitchesAndSpeeds);
  for (const Line& line : lines)
    choices += line.truncated ? std::log(all / kTruncatedShare) : -std::log1p(-kTruncatedShare);
  return said * said / power / 2 - choices;
}

void PhraseDetector::Search(double pitch, double speed, Cells cells, Found& best) {
  const Signs& signs = cells == Cells::kAll ? all_ : common_;
  std::vector<Line> lines = LikelyPhrases(speed, signs);
  if (lines.empty()) return;
  const double bound = Bound(Folded(lines, speed), lines, signs);
  if (bound > best.bound) best = {bound, pitch, speed, std::move(lines)};
}

void PhraseDetector::ReadTag(const Found& found, Detection& reading) {
  levels_.At(found.pitch);
  SumCells(found.speed);
  const Signs folded = Folded(found.lines, found.speed);
  double power = 0;
  for (size_t cell = 0; cell < kCells; ++cell) {
    for (size_t b = 0; b < kBands; ++b) {
      const size_t bit = pattern_.bit(cell, b);
      if (bit == kTagBits) continue;
      power += Square(folded[cell][b]);
      reading.bits[bit] += folded[cell][b] * pattern_.carrier(cell, b);
      reading.tag += folded[cell][b] * pattern_.signs(cell)[b];
    }
  }
  const auto chance = static_cast<float>(std::sqrt(power));
  if (chance <= 0) return;
  reading.tag /= chance;
  for (float& bit : reading.bits) bit /= chance;
}

Detection PhraseDetector::Read(std::span<const float> samples) {
  Detection reading;
  levels_.Hear(samples.first(std::min(samples.size(), kPhraseWindow)));
  levels_.At(1);
  FindBeginnings();
  if (beginnings_.empty()) return reading;
  Found whole, common;
  const auto search = [&](double pitch, double speed) {
    SumCells(speed);
    Search(pitch, speed, Cells::kAll, whole);
    Search(pitch, speed, Cells::kCommon, common);
  };
  for (int step = -kSpeeds; step <= kSpeeds; ++step) {
    levels_.At(SpeedOf(step));
    search(SpeedOf(step), SpeedOf(step));
  }
  levels_.At(1);
  for (int step = -kSpeeds; step <= kSpeeds; ++step) {
    if (step != 0) search(1, SpeedOf(step));
  }
  const auto score = [](double bound) {
    return bound <= 0 ? 0.0F : static_cast<float>(std::sqrt(2 * (bound + std::log(kTried))));
  };
  reading.whole = score(whole.bound);
  reading.common = score(common.bound);
  const Found& found = whole.bound > common.bound ? whole : common;
  if (found.lines.empty()) return reading;
  reading.speed = static_cast<float>(found.speed);
  ReadTag(found, reading);
  return reading;
}

}  // namespace trunkline::watermark
