#include "dsp/dtmf.h"

#include <algorithm>
#include <cmath>

namespace trunkline::dsp {
namespace {

constexpr int kDtmfWindowMs = 20, kDtmfHopMs = 5;
constexpr float kMinDtmfAmplitude = 0.028f;  // a sine of -34 dBFS
constexpr double kTolerance = 0.025;         // lies between the 1.5 % to accept and the 3.5 % to reject
constexpr double kHighOverLowDb = 6, kLowOverHighDb = 10;  // 4 and 8 with a margin for the line's noise
// The two tones' share of the window's power; 0.97 at 15 dB of noise.
constexpr double kDtmfPurity = 0.86;
// A digit holds its level within its plateau; speech does not.
constexpr float kSteady = 0.75f;
constexpr int kMinMs = 32;   // lies between the 23 ms to reject and the 40 ms to accept
constexpr int kMinGood = 3;  // windows that hold nothing but the digit
constexpr int kPauseHops =
    5;  // the time below half the level, between the 10 ms to bridge and the 40 ms to detect

constexpr std::string_view kKeys = "123A456B789C*0#D";

std::vector<double> Frequencies() {
  std::vector<double> all(kDtmfLow.begin(), kDtmfLow.end());
  all.insert(all.end(), kDtmfHigh.begin(), kDtmfHigh.end());
  return all;
}

}  // namespace

char DtmfKey(int low, int high) {
  return kKeys[static_cast<size_t>(low * 4 + high)];
}

DtmfDetector::DtmfDetector(int rate) : bank_(rate, Frequencies(), kDtmfWindowMs, kDtmfHopMs) {}

void DtmfDetector::Reset() {
  bank_.Reset();
  hops_ = {};
  hop_count_ = 0;
  current_ = {};
  rival_ = {};
  reported_ = false;
}

size_t DtmfDetector::Process(std::span<const float> samples, std::span<DtmfEvent> out) {
  size_t count = 0;
  bank_.Process(samples, [&](const ToneWindow& window) {
    Hop& hop = hops_[static_cast<size_t>(hop_count_ % kHistory)];
    for (size_t i = 0; i < 8; ++i) hop.amplitude[i] = std::abs(window.bins[i]);
    hop.middle = window.middle;
    ++hop_count_;
    Follow(Judge(window), out, count);
  });
  return count;
}

// Decides whether this window holds a digit and nothing else.
DtmfDetector::Verdict DtmfDetector::Judge(const ToneWindow& window) const {
  const auto& amplitude = HopAgo(0).amplitude;
  const auto strongest = [&](size_t from) {
    return static_cast<size_t>(std::max_element(amplitude.begin() + static_cast<long>(from),
                                                amplitude.begin() + static_cast<long>(from) + 4) -
                               amplitude.begin());
  };
  double power = 0;
  std::array<double, 2> level;
  const std::array<size_t, 2> bins = {strongest(0), strongest(4)};
  for (size_t i = 0; i < 2; ++i) {
    if (amplitude[bins[i]] < kMinDtmfAmplitude * 0.7f) return {};
    const double nominal = bank_.frequency(bins[i]);
    const double offset = bank_.FrequencyAt(window, bins[i]) - nominal;
    if (std::abs(offset) > kTolerance * nominal) return {};
    level[i] = amplitude[bins[i]] / bank_.ResponseAt(offset);
    if (level[i] < kMinDtmfAmplitude) return {};
    power += level[i] * level[i] / 2;
  }
  const double twist = 20 * std::log10(level[1] / level[0]);
  if (twist > kHighOverLowDb || twist < -kLowOverHighDb) return {};
  if (power < kDtmfPurity * window.power) return {};
  return {static_cast<int>(bins[0]), static_cast<int>(bins[1]) - 4,
          std::min(amplitude[bins[0]], amplitude[bins[1]])};
}

void DtmfDetector::Follow(const Verdict& verdict, std::span<DtmfEvent> out, size_t& count) {
  const auto report = [&](bool ended) {
    if (count < out.size()) out[count++] = {DtmfKey(current_.low, current_.high), ended, start_, end_};
  };
  const bool digit = verdict.low >= 0;
  if (current_.low < 0) {
    if (digit) Begin(verdict);
    return;
  }
  const bool same = digit && verdict.low == current_.low && verdict.high == current_.high;
  if (same) {
    plateau_ = std::max(plateau_, verdict.amplitude);
    if (verdict.amplitude >= kSteady * plateau_) ++good_hops_;
  }
  const float now = AmplitudeOf(0);
  if (now >= plateau_ / 2) {
    hops_below_ = 0;
    end_ = HopAgo(0).middle;
  } else if (hops_below_++ == 0) {
    end_ = CrossingBefore(0);
  }
  if (!reported_ && good_hops_ >= kMinGood) {
    start_ = CrossingBefore(FirstAboveHalf());
    if ((end_ - start_) * 1000 >= static_cast<int64_t>(kMinMs) * bank_.rate()) {
      reported_ = true;
      report(false);
    }
  }
  rival_hops_ =
      digit && !same ? (verdict.low == rival_.low && verdict.high == rival_.high ? rival_hops_ + 1 : 1) : 0;
  rival_ = verdict;
  if (hops_below_ >= kPauseHops || rival_hops_ >= kMinGood) {
    if (reported_) report(true);
    const bool taken_over = rival_hops_ >= kMinGood;
    current_ = {};
    if (taken_over) {
      Begin(verdict);
      good_hops_ = kMinGood;
    }
  }
}

void DtmfDetector::Begin(const Verdict& verdict) {
  current_ = verdict;
  reported_ = false;
  good_hops_ = 1;
  hops_below_ = 0;
  plateau_ = verdict.amplitude;
  rival_hops_ = 0;
  rival_ = {};
  start_ = end_ = HopAgo(0).middle;
}

const DtmfDetector::Hop& DtmfDetector::HopAgo(int hops_ago) const {
  return hops_[static_cast<size_t>((hop_count_ - 1 - hops_ago + kHistory) % kHistory)];
}

float DtmfDetector::AmplitudeOf(int hops_ago) const {
  const auto& amplitude = HopAgo(hops_ago).amplitude;
  return std::min(amplitude[static_cast<size_t>(current_.low)],
                  amplitude[static_cast<size_t>(current_.high) + 4]);
}

int DtmfDetector::FirstAboveHalf() const {
  const int last = static_cast<int>(std::min<int64_t>(kHistory, hop_count_)) - 1;
  int ago = 0;
  while (ago < last && AmplitudeOf(ago) < plateau_ / 2) ++ago;
  return ago;
}

// A tone's edge lies where half of it fills the window, so its amplitude is half the plateau's. Searches from
// `hops_ago` backwards for the nearest crossing.
int64_t DtmfDetector::CrossingBefore(int hops_ago) const {
  const float half = plateau_ / 2;
  const int last = static_cast<int>(std::min<int64_t>(kHistory, hop_count_)) - 1;
  for (int ago = std::min(hops_ago, last); ago < last; ++ago) {
    const float newer = AmplitudeOf(ago), older = AmplitudeOf(ago + 1);
    if ((newer >= half) == (older >= half)) continue;
    const double share = (half - older) / (newer - older);
    return HopAgo(ago + 1).middle +
           std::llround(share * static_cast<double>(HopAgo(ago).middle - HopAgo(ago + 1).middle));
  }
  return HopAgo(last).middle;
}

}  // namespace trunkline::dsp
