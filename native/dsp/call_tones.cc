#include "dsp/call_tones.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trunkline::dsp {
namespace {

// Bell's SITs use 914 or 985, 1,371 or 1,429 and 1,777 Hz, for 276 or 380 ms; the ITU's 950, 1,400 and 1,800
// Hz for 330.
struct Range {
  double low, high;
};
constexpr Range kSitParts[] = {{895, 1005}, {1350, 1450}, {1750, 1850}};
constexpr Range kSitMs = {220, 450};
constexpr double kSitGapMs = 60;
constexpr double kSitLastMs = 100;

constexpr Range kCng = {1062, 1138}, kCngMs = {425, 575};
constexpr Range kCed = {2080, 2120};
constexpr double kCedMs = 500;
constexpr Range kBeep = {295, 2525}, kBeepMs = {75, 4000};
// The steadiness of a machine's beep: noise 15 dB below it spreads its pitch by 0.0016 and its level by 0.02
// at most. A voice seldom holds a pitch longer than kShortMs; a shorter beep must also stand alone.
struct Steadiness {
  float pitch_spread, level_spread, purity, surroundings;
};
constexpr Steadiness kShortBeep = {0.0025f, 0.04f, 0.92f, 0.15f}, kLongBeep = {0.004f, 0.08f, 0.9f, 2};
constexpr double kShortMs = 250;
// A tone that may begin a SIT is held back this long, until the next tone is certain.
constexpr int64_t kHoldMs = 180;
// The gap of two lost packets, and the pitch tolerance of a tone that goes on after it.
constexpr double kMaxGapMs = 60, kSamePitch = 0.015;
constexpr int64_t kSettleMs = 160;

bool In(const Range& range, double value) {
  return value >= range.low && value <= range.high;
}

bool IsSteady(const ToneEvent& tone, double ms) {
  const Steadiness& needed = ms < kShortMs ? kShortBeep : kLongBeep;
  return tone.pitch_spread <= needed.pitch_spread && tone.level_spread <= needed.level_spread &&
         tone.purity >= needed.purity && tone.surroundings <= needed.surroundings;
}

}  // namespace

CallToneDetector::CallToneDetector(int rate) : tracker_(rate), cadences_(rate) {}

void CallToneDetector::Reset() {
  tracker_.Reset();
  cadences_.Reset();
  position_ = 0;
  ended_.reset();
  first_part_.reset();
  held_count_ = 0;
  reported_start_ = kNoTone;
}

size_t CallToneDetector::Process(std::span<const float> samples, std::span<CallToneEvent> out) {
  size_t count = 0;
  // Steps of at most 5 ms, as the trackers use, make the order of events independent of the split.
  const size_t step = static_cast<size_t>(tracker_.rate() / 200);
  while (!samples.empty()) {
    const size_t to_edge = step - static_cast<size_t>(position_) % step;
    const auto part = samples.first(std::min(samples.size(), to_edge));
    samples = samples.subspan(part.size());
    position_ += static_cast<int64_t>(part.size());
    std::array<ToneEvent, 4> tones;
    const size_t found = tracker_.Process(part, tones);
    for (size_t i = 0; i < found; ++i) Bridge(tones[i], out, count);
    std::array<CadenceEvent, 2> cadences;
    const size_t rhythms = cadences_.Process(part, cadences);
    for (size_t i = 0; i < rhythms && count < out.size(); ++i) {
      constexpr CallTone kTones[] = {CallTone::kRingback, CallTone::kBusy, CallTone::kReorder};
      const CadenceEvent& event = cadences[i];
      out[count++] = {kTones[static_cast<size_t>(event.cadence)], event.start, event.end, 0, 0, event.region};
    }
    if (static_cast<size_t>(position_) % step != 0) continue;
    if (position_ >= ended_until_) Settle(out, count);
    if (!ended_) ReleaseHeld(position_, out, count);
  }
  return count;
}

// Joins a tone that goes on at the same pitch after a short gap: a packet was lost.
void CallToneDetector::Bridge(ToneEvent tone, std::span<CallToneEvent> out, size_t& count) {
  if (ended_ && GoesOn(tone)) {
    first_part_ = std::exchange(ended_, std::nullopt);
    joined_start_ = tone.start;
  }
  Settle(out, count);
  if (first_part_ && tone.start == joined_start_) {
    tone.start = first_part_->start;
    tone.pitch_spread = std::max(tone.pitch_spread, first_part_->pitch_spread);
    tone.level_spread = std::max(tone.level_spread, first_part_->level_spread);
    tone.purity = std::min(tone.purity, first_part_->purity);
    tone.surroundings = std::max(tone.surroundings, first_part_->surroundings);
  }
  if (!tone.ended) return OnTone(tone, out, count);
  ended_ = tone;
  ended_until_ = position_ + kSettleMs * tracker_.rate() / 1000;
}

bool CallToneDetector::GoesOn(const ToneEvent& tone) const {
  return tone.start >= ended_->end && Ms(tone.start - ended_->end) <= kMaxGapMs &&
         std::abs(tone.frequency - ended_->frequency) <= kSamePitch * ended_->frequency;
}

void CallToneDetector::Settle(std::span<CallToneEvent> out, size_t& count) {
  if (!ended_) return;
  OnTone(*std::exchange(ended_, std::nullopt), out, count);
}

void CallToneDetector::OnTone(const ToneEvent& tone, std::span<CallToneEvent> out, size_t& count) {
  const double ms = Ms(tone.end - tone.start);
  if (tone.start == reported_start_) return;
  if (In(kCed, tone.frequency) && ms >= kCedMs) {
    reported_start_ = tone.start;
    return Report(CallTone::kFaxCed, tone, out, count);
  }
  if (FollowSit(tone, out, count) || !tone.ended) return;
  if (In(kCng, tone.frequency) && In(kCngMs, ms)) return Report(CallTone::kFaxCng, tone, out, count);
  if (In(kBeep, tone.frequency) && In(kBeepMs, ms) && IsSteady(tone, ms))
    Report(CallTone::kBeep, tone, out, count);
}

// Returns true when `tone` is, or may become, part of a SIT.
bool CallToneDetector::FollowSit(const ToneEvent& tone, std::span<CallToneEvent> out, size_t& count) {
  const bool follows = held_count_ == 0 || Ms(std::abs(tone.start - held_[held_count_ - 1].end)) <= kSitGapMs;
  if (!follows || !In(kSitParts[held_count_], tone.frequency)) {
    held_until_ = position_;
    ReleaseHeld(position_, out, count);
    if (held_count_ > 0 || !In(kSitParts[0], tone.frequency)) return false;
  }
  const double ms = Ms(tone.end - tone.start);
  held_until_ = position_ + kHoldMs * tracker_.rate() / 1000;
  if (held_count_ == 2) {
    if (ms < kSitLastMs) return true;
    reported_start_ = tone.start;
    if (count < out.size()) {
      out[count++] = {CallTone::kSit,     held_[0].start,      tone.end,
                      held_[0].frequency, held_[0].level_dbfs, Region::kUnitedStates};
    }
    held_count_ = 0;
    return true;
  }
  if (!tone.ended) return ms <= kSitMs.high;
  if (!In(kSitMs, ms)) return false;
  held_[held_count_++] = tone;
  return true;
}

void CallToneDetector::ReleaseHeld(int64_t now, std::span<CallToneEvent> out, size_t& count) {
  if (held_count_ == 0 || now < held_until_) return;
  for (size_t i = 0; i < held_count_; ++i) {
    if (IsSteady(held_[i], kShortMs)) Report(CallTone::kBeep, held_[i], out, count);
  }
  held_count_ = 0;
}

void CallToneDetector::Report(CallTone kind, const ToneEvent& tone, std::span<CallToneEvent> out,
                              size_t& count) {
  if (count == out.size()) return;
  out[count++] = {kind, tone.start, tone.end, tone.frequency, tone.level_dbfs, Region::kUnitedStates};
}

}  // namespace trunkline::dsp
