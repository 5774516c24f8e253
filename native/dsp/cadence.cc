#include "dsp/cadence.h"

#include <algorithm>
#include <cmath>

namespace trunkline::dsp {
namespace {

// Long enough to separate 440 Hz from 480, and 25 Hz from 400.
constexpr int kCadenceWindowMs = 80, kCadenceHopMs = 10;
enum Bin : size_t { kAt350, kAt375, kAt400, kAt425, kAt440, kAt450, kAt480, kAt620 };
const std::vector<double> kFrequencies = {350, 375, 400, 425, 440, 450, 480, 620};

constexpr double kMinCadenceAmplitude = 0.006;  // -47 dBFS
constexpr double kCadencePurity = 0.75;
constexpr double kBalance = 2;      // parts of a mix within 6 dB of each other
constexpr double kToleranceHz = 8;  // 1.5 % and the reading's error
constexpr double kMinBurstMs = 120, kMaxBurstMs = 3000;
constexpr int kMissingHops = 3;  // a gap of 30 ms within a burst is a disturbance
constexpr double kQuiet = 0.08;  // the most power of a pause, relative to its bursts
constexpr double kRingPauseMs = 1500;

bool Near(double value, double wanted) {
  return std::abs(value - wanted) <= std::max(30.0, 0.15 * wanted);
}

struct Rhythm {
  CadenceDetector::Mix mix;
  Cadence cadence;
  Region region;
  double first_on, off, second_on;  // ms
};

using Mix = CadenceDetector::Mix;
// The UK's reorder tone has two bursts of different length and may begin with either.
constexpr Rhythm kRhythms[] = {
    {Mix::k480And620, Cadence::kBusy, Region::kUnitedStates, 500, 500, 500},
    {Mix::k480And620, Cadence::kReorder, Region::kUnitedStates, 250, 250, 250},
    {Mix::k480And620, Cadence::kReorder, Region::kUnitedStates, 300, 200, 300},
    {Mix::k480And620, Cadence::kReorder, Region::kUnitedStates, 200, 300, 200},
    {Mix::k400And450, Cadence::kRingback, Region::kUnitedKingdom, 400, 200, 400},
    {Mix::k400, Cadence::kBusy, Region::kUnitedKingdom, 375, 375, 375},
    {Mix::k400, Cadence::kReorder, Region::kUnitedKingdom, 400, 350, 225},
    {Mix::k400, Cadence::kReorder, Region::kUnitedKingdom, 225, 525, 400},
    {Mix::k400, Cadence::kBusy, Region::kIndia, 750, 750, 750},
    {Mix::k400, Cadence::kReorder, Region::kIndia, 250, 250, 250},
    {Mix::k400Under25, Cadence::kRingback, Region::kIndia, 400, 200, 400},
    {Mix::k425, Cadence::kBusy, Region::kEurope, 500, 500, 500},
    {Mix::k425, Cadence::kReorder, Region::kEurope, 250, 250, 250},
    {Mix::k425, Cadence::kReorder, Region::kEurope, 200, 200, 200},
};

}  // namespace

CadenceDetector::CadenceDetector(int rate) : bank_(rate, kFrequencies, kCadenceWindowMs, kCadenceHopMs) {}

void CadenceDetector::Reset() {
  bank_.Reset();
  bursts_ = {};
  on_ = is_ring_reported_ = false;
  previous_level_ = 0;
}

size_t CadenceDetector::Process(std::span<const float> samples, std::span<CadenceEvent> out) {
  size_t count = 0;
  bank_.Process(samples, [&](const ToneWindow& window) { Follow(window, out, count); });
  return count;
}

double CadenceDetector::LevelOf(Mix mix, const ToneWindow& window) const {
  const auto square = [&](Bin bin) { return std::norm(window.bins[bin]); };
  switch (mix) {
    case Mix::k480And620:
      return std::sqrt(square(kAt480) + square(kAt620));
    case Mix::k440And480:
      return std::sqrt(square(kAt440) + square(kAt480));
    case Mix::k400And450:
      return std::sqrt(square(kAt400) + square(kAt450));
    case Mix::k400Under25:
      return std::sqrt(square(kAt375) + square(kAt400) + square(kAt425));
    case Mix::k400:
      return std::sqrt(square(kAt400));
    case Mix::k425:
      // A tone between the two counts as the nearer one.
      return std::sqrt(std::max(square(kAt425), square(kAt440)));
    case Mix::kNone:
      break;
  }
  return 0;
}

// Decides between one tone of 400 Hz and one of 425 to 440.
CadenceDetector::Mix CadenceDetector::SingleOf(const ToneWindow& window) const {
  size_t strongest = kAt375;
  for (size_t bin : {kAt400, kAt425, kAt440, kAt450}) {
    if (std::norm(window.bins[bin]) > std::norm(window.bins[strongest])) strongest = bin;
  }
  const double frequency = bank_.FrequencyAt(window, strongest);
  const double amplitude =
      std::abs(window.bins[strongest]) / bank_.ResponseAt(frequency - bank_.frequency(strongest));
  if (amplitude * amplitude / 2 < kCadencePurity * window.power) return Mix::kNone;
  if (std::abs(frequency - 400) <= kToleranceHz) return Mix::k400;
  if (frequency >= 425 - kToleranceHz && frequency <= 440 + kToleranceHz) return Mix::k425;
  return Mix::kNone;
}

CadenceDetector::Hearing CadenceDetector::Listen(const ToneWindow& window) const {
  const auto at = [&](Bin bin) { return static_cast<double>(std::abs(window.bins[bin])); };
  const auto balanced = [&](Bin a, Bin b) {
    return at(a) < kBalance * at(b) && at(b) < kBalance * at(a) &&
           std::abs(bank_.FrequencyAt(window, a) - bank_.frequency(a)) <= kToleranceHz &&
           std::abs(bank_.FrequencyAt(window, b) - bank_.frequency(b)) <= 1.3 * kToleranceHz;
  };
  const auto pure = [&](Mix mix) {
    const double level = LevelOf(mix, window);
    // Detuned parts measure a little below their level.
    return level >= kMinCadenceAmplitude && level * level / 2 >= 0.8 * kCadencePurity * window.power;
  };
  const auto heard = [&](Mix mix) { return Hearing{mix, LevelOf(mix, window)}; };
  if (balanced(kAt480, kAt620) && pure(Mix::k480And620)) return heard(Mix::k480And620);
  if (balanced(kAt440, kAt480) && pure(Mix::k440And480)) return heard(Mix::k440And480);
  if (balanced(kAt400, kAt450) && pure(Mix::k400And450) && at(kAt425) < 0.5 * at(kAt400)) {
    return heard(Mix::k400And450);
  }
  if (balanced(kAt375, kAt425) && at(kAt375) > 0.2 * at(kAt400) && pure(Mix::k400Under25)) {
    return heard(Mix::k400Under25);
  }
  const Mix single = SingleOf(window);
  return single == Mix::kNone || LevelOf(single, window) < kMinCadenceAmplitude ? Hearing{Mix::kNone, 0}
                                                                                : heard(single);
}

void CadenceDetector::Follow(const ToneWindow& window, std::span<CadenceEvent> out, size_t& count) {
  const Hearing hearing = Listen(window);
  if (!on_) {
    bursts_[0].quiet_after = bursts_[0].quiet_after || window.power <= kQuiet * power_;
    if (hearing.mix != Mix::kNone) BeginBurst(window, hearing);
    if (!on_) MatchRing(window.middle, out, count);
    return;
  }
  const Mix mix = static_cast<Mix>(std::max_element(votes_.begin(), votes_.end()) - votes_.begin());
  const double level = LevelOf(mix, window);
  if (hearing.mix != Mix::kNone) ++votes_[static_cast<size_t>(hearing.mix)];
  if (level > plateau_) {
    plateau_ = level;
    power_ = window.power;
  }
  // An edge lies at half the level, where half of the window is filled.
  const double half = plateau_ / 2;
  if (level >= half) {
    if (previous_level_ < half && votes_[static_cast<size_t>(mix)] < 8) {
      const double share = (half - previous_level_) / (level - previous_level_);
      start_ = previous_middle_ + std::llround(share * static_cast<double>(window.middle - previous_middle_));
    }
    end_ = window.middle;
    missing_ = 0;
  } else {
    if (missing_++ == 0) {
      const double share = (previous_level_ - half) / (previous_level_ - level);
      end_ = previous_middle_ + std::llround(share * static_cast<double>(window.middle - previous_middle_));
    }
    if (missing_ >= kMissingHops) EndBurst(out, count);
  }
  previous_level_ = level;
  previous_middle_ = window.middle;
}

void CadenceDetector::BeginBurst(const ToneWindow& window, const Hearing& hearing) {
  on_ = true;
  votes_ = {};
  ++votes_[static_cast<size_t>(hearing.mix)];
  plateau_ = hearing.level;
  power_ = window.power;
  start_ = end_ = window.middle;
  previous_level_ = hearing.level;
  previous_middle_ = window.middle;
  missing_ = 0;
}

void CadenceDetector::EndBurst(std::span<CadenceEvent> out, size_t& count) {
  on_ = false;
  const double ms = Ms(end_ - start_);
  if (ms < kMinBurstMs || ms > kMaxBurstMs) return;
  std::rotate(bursts_.begin(), bursts_.end() - 1, bursts_.end());
  const Mix mix = static_cast<Mix>(std::max_element(votes_.begin(), votes_.end()) - votes_.begin());
  bursts_[0] = {mix, start_, end_, false};
  is_ring_reported_ = false;
  MatchRhythm(out, count);
}

void CadenceDetector::MatchRhythm(std::span<CadenceEvent> out, size_t& count) {
  const Burst &first = bursts_[1], &second = bursts_[0];
  if (first.mix != second.mix || !first.quiet_after) return;
  const double first_on = Ms(first.end - first.start), second_on = Ms(second.end - second.start);
  const double off = Ms(second.start - first.end);
  const Rhythm* best = nullptr;
  double best_distance = 1e9;
  for (const Rhythm& rhythm : kRhythms) {
    if (rhythm.mix != second.mix) continue;
    if (!Near(first_on, rhythm.first_on) || !Near(off, rhythm.off) || !Near(second_on, rhythm.second_on))
      continue;
    const double distance = std::abs(first_on - rhythm.first_on) + std::abs(off - rhythm.off) +
                            std::abs(second_on - rhythm.second_on);
    if (distance < best_distance) {
      best = &rhythm;
      best_distance = distance;
    }
  }
  if (!best) return;
  if (count < out.size()) out[count++] = {best->cadence, best->region, first.start, second.end};
  is_ring_reported_ = true;
  bursts_[0].mix = Mix::kNone;
}

void CadenceDetector::MatchRing(int64_t now, std::span<CadenceEvent> out, size_t& count) {
  const Burst& burst = bursts_[0];
  if (is_ring_reported_ || burst.mix == Mix::kNone || !burst.quiet_after ||
      Ms(now - burst.end) < kRingPauseMs)
    return;
  is_ring_reported_ = true;
  const double on = Ms(burst.end - burst.start);
  const bool american = burst.mix == Mix::k440And480 && on >= 1500 && on <= 2500;
  const bool european = burst.mix == Mix::k425 && on >= 650 && on <= 1750;
  if (!american && !european) return;
  const Region region = american ? Region::kUnitedStates : Region::kEurope;
  if (count < out.size()) out[count++] = {Cadence::kRingback, region, burst.start, now};
}

}  // namespace trunkline::dsp
