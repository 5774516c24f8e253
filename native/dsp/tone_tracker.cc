#include "dsp/tone_tracker.h"

#include <algorithm>
#include <cmath>

#include "dsp/level.h"

namespace trunkline::dsp {
namespace {

constexpr int kWindowMs = 20, kHopMs = 5;
constexpr double kLowest = 280, kHighest = 2600;
constexpr double kFirstBin = 250, kBinStep = 50;
constexpr float kMinAmplitude = 0.004f;  // a sine of -51 dBFS
constexpr double kPurity = 0.8;
constexpr double kSteadyPitch = 0.015;
constexpr double kSteadyLevel = 0.6;
constexpr int kBridgeHops = 6;  // windows that a click, a word or a turned phase may spoil
constexpr int kRivalHops = 3;
constexpr int kReportEveryMs = 100;
constexpr int kRivalMs = 15;  // the distance from an edge to the middle of the window that is wholly outside

std::vector<double> Frequencies(size_t bins) {
  std::vector<double> all(bins);
  for (size_t i = 0; i < bins; ++i) all[i] = kFirstBin + kBinStep * static_cast<double>(i);
  return all;
}

}  // namespace

ToneTracker::ToneTracker(int rate) : bank_(rate, Frequencies(kBins), kWindowMs, kHopMs) {}

void ToneTracker::Reset() {
  bank_.Reset();
  amplitudes_ = {};
  middles_ = {};
  hop_count_ = 0;
  following_ = certain_ = false;
}

size_t ToneTracker::Process(std::span<const float> samples, std::span<ToneEvent> out) {
  size_t count = 0;
  bank_.Process(samples, [&](const ToneWindow& window) {
    const size_t slot = static_cast<size_t>(hop_count_ % kHistory);
    for (size_t i = 0; i < kBins; ++i) amplitudes_[slot][i] = std::abs(window.bins[i]);
    middles_[slot] = window.middle;
    powers_[slot] = window.power;
    ++hop_count_;
    Follow(window, out, count);
  });
  return count;
}

// Decides whether this window holds one sine and little else.
bool ToneTracker::FindPeak(const ToneWindow& window, Peak& peak) const {
  const auto& amplitudes = amplitudes_[static_cast<size_t>((hop_count_ - 1) % kHistory)];
  const auto largest = std::max_element(amplitudes.begin(), amplitudes.end());
  if (*largest < kMinAmplitude) return false;
  peak.bin = static_cast<size_t>(largest - amplitudes.begin());
  peak.frequency = bank_.FrequencyAt(window, peak.bin);
  const double offset = peak.frequency - bank_.frequency(peak.bin);
  if (std::abs(offset) > kBinStep || peak.frequency < kLowest || peak.frequency > kHighest) return false;
  peak.amplitude = *largest / bank_.ResponseAt(offset);
  peak.purity = peak.amplitude * peak.amplitude / 2 / window.power;
  return peak.purity >= kPurity;
}

void ToneTracker::Follow(const ToneWindow& window, std::span<ToneEvent> out, size_t& count) {
  Peak peak = {};
  const bool tonal = FindPeak(window, peak);
  if (!following_) {
    if (tonal) Begin(peak);
    return;
  }
  ++hops_since_begin_;
  const double mean = frequency_sum_ / good_hops_;
  const bool same = tonal && std::abs(peak.frequency - mean) <= kSteadyPitch * mean;
  if (same && peak.amplitude >= kSteadyLevel * plateau_) {
    frequency_sum_ += peak.frequency;
    ++good_hops_;
    hops_since_good_ = rival_hops_ = 0;
    plateau_ = std::max(plateau_, static_cast<float>(peak.amplitude));
    Weigh(peak);
    end_ = MiddleAgo(0);
    // A bin that lies nearer to the mean follows the tone's edges better.
    bin_ = static_cast<size_t>(
        std::clamp(std::lround((mean - kFirstBin) / kBinStep), 0L, static_cast<long>(kBins) - 1));
    Settle();
    if (certain_ && (end_ - reported_) * 1000 >= int64_t{kReportEveryMs} * bank_.rate()) {
      if (count < out.size()) out[count++] = Describe(false);
      reported_ = end_;
    }
    return;
  }
  ++hops_since_good_;
  // Another lasting tone takes over; anything else may be a disturbance.
  const bool again = tonal && rival_hops_ > 0 && std::abs(peak.frequency - rival_) <= kSteadyPitch * rival_;
  rival_hops_ = tonal && !same ? (again ? rival_hops_ + 1 : 1) : 0;
  rival_ = peak.frequency;
  if (rival_hops_ >= kRivalHops) {
    End(out, count);
    Begin(peak);
  } else if (hops_since_good_ > kBridgeHops) {
    End(out, count);
  }
}

void ToneTracker::Begin(const Peak& peak) {
  following_ = true;
  certain_ = false;
  bin_ = peak.bin;
  frequency_sum_ = peak.frequency;
  plateau_ = static_cast<float>(peak.amplitude);
  steadiness_ = {};
  rival_hops_ = 0;
  surroundings_ = 0;
  good_hops_ = 1;
  hops_since_good_ = hops_since_begin_ = 0;
  start_ = end_ = MiddleAgo(0);
}

void ToneTracker::Weigh(const Peak& peak) {
  // The first windows lie on the edge, and so may the last ones, which never leave `waiting_`.
  const size_t slot = static_cast<size_t>(good_hops_) % kEdgeHops;
  if (good_hops_ > static_cast<int>(2 * kEdgeHops)) steadiness_.Add(waiting_[slot]);
  waiting_[slot] = peak;
}

void ToneTracker::Steadiness::Add(const Peak& peak) {
  ++count;
  frequency += peak.frequency;
  frequency_square += peak.frequency * peak.frequency;
  amplitude += peak.amplitude;
  amplitude_square += peak.amplitude * peak.amplitude;
  purity += std::min(1.0, peak.purity);
}

double ToneTracker::Steadiness::Spread(int count, double sum, double square) {
  if (count < 3) return 1;  // too short to measure
  const double mean = sum / count;
  return std::sqrt(std::max(0.0, square / count - mean * mean)) / mean;
}

void ToneTracker::Settle() {
  if (certain_) return;
  const int64_t least = int64_t{kMinMs} * bank_.rate() / 1000;
  start_ = Crossing(hops_since_begin_);
  if (end_ - start_ < least || good_hops_ * 2 < hops_since_begin_) return;
  certain_ = true;
  reported_ = start_;
  surroundings_ = PowerAt(start_ - kRivalMs * bank_.rate() / 1000);
}

void ToneTracker::End(std::span<ToneEvent> out, size_t& count) {
  following_ = false;
  // The edge lies among the last windows, after the last good one.
  const float half = AmplitudeAgo(hops_since_good_) / 2;
  for (int ago = hops_since_good_; ago > 0; --ago) {
    const float older = AmplitudeAgo(ago), newer = AmplitudeAgo(ago - 1);
    if (newer >= half) continue;
    const double share = older <= half ? 0 : (older - half) / (older - newer);
    end_ = MiddleAgo(ago) + std::llround(share * static_cast<double>(MiddleAgo(ago - 1) - MiddleAgo(ago)));
    break;
  }
  const int64_t least = int64_t{kMinMs} * bank_.rate() / 1000;
  if (!certain_) {
    if (good_hops_ < 6) return;
    start_ = Crossing(hops_since_begin_);
    if (end_ - start_ < least) return;
    surroundings_ = PowerAt(start_ - kRivalMs * bank_.rate() / 1000);
  }
  surroundings_ = std::max(surroundings_, PowerAt(end_ + kRivalMs * bank_.rate() / 1000));
  if (count < out.size()) out[count++] = Describe(true);
}

ToneEvent ToneTracker::Describe(bool ended) const {
  const Steadiness& s = steadiness_;
  return {frequency_sum_ / good_hops_,
          ToDbfs(plateau_ * plateau_ / 2),
          std::max<int64_t>(start_, 0),
          end_,
          ended,
          static_cast<float>(Steadiness::Spread(s.count, s.frequency, s.frequency_square)),
          static_cast<float>(Steadiness::Spread(s.count, s.amplitude, s.amplitude_square)),
          static_cast<float>(s.count > 0 ? s.purity / s.count : 0),
          static_cast<float>(surroundings_ / (plateau_ * plateau_ / 2))};
}

float ToneTracker::AmplitudeAgo(int hops_ago) const {
  return amplitudes_[static_cast<size_t>((hop_count_ - 1 - hops_ago + kHistory) % kHistory)][bin_];
}

int64_t ToneTracker::MiddleAgo(int hops_ago) const {
  return middles_[static_cast<size_t>((hop_count_ - 1 - hops_ago + kHistory) % kHistory)];
}

double ToneTracker::PowerAt(int64_t sample) const {
  const int known = static_cast<int>(std::min<int64_t>(kHistory, hop_count_));
  if (known == 0) return 0;
  int nearest = 0;
  for (int ago = 1; ago < known; ++ago) {
    if (std::abs(MiddleAgo(ago) - sample) < std::abs(MiddleAgo(nearest) - sample)) nearest = ago;
  }
  return powers_[static_cast<size_t>((hop_count_ - 1 - nearest + kHistory) % kHistory)];
}

// A tone's edge lies where half of it fills the window, so its amplitude is half.
int64_t ToneTracker::Crossing(int hops_ago) const {
  const int last = static_cast<int>(std::min<int64_t>(kHistory, hop_count_)) - 1;
  float within = 0;
  for (int ago = 0; ago <= std::min(hops_ago, last); ++ago) within = std::max(within, AmplitudeAgo(ago));
  const float half = within / 2;
  int ago = std::min(hops_ago, last);
  // The first window may lie before the edge.
  while (ago > 0 && AmplitudeAgo(ago) < half) --ago;
  for (; ago < last; ++ago) {
    const float newer = AmplitudeAgo(ago), older = AmplitudeAgo(ago + 1);
    if (older >= half) continue;
    const double share = (half - older) / (newer - older);
    return MiddleAgo(ago + 1) +
           std::llround(share * static_cast<double>(MiddleAgo(ago) - MiddleAgo(ago + 1)));
  }
  return MiddleAgo(last);
}

}  // namespace trunkline::dsp
