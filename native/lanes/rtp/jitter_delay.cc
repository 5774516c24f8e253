#include "lanes/rtp/jitter_delay.h"

#include <algorithm>

namespace trunkline::rtp {
namespace {

// The share of packets that may be late.
constexpr double kLate = 0.02;
// The memory per packet: short at first, later some seven seconds.
constexpr double kMaxMemory = 0.997;
// A packet that came between two ticks is seen at the later one.
constexpr double kTickMs = 10;
constexpr double kFirstTargetMs = 30;

}  // namespace

JitterDelay::JitterDelay(JitterDelayBounds bounds)
    : bounds_(bounds), target_(std::max(bounds.min_ms, kFirstTargetMs)) {}

void JitterDelay::Reset() {
  *this = JitterDelay(bounds_);
}

double JitterDelay::quickest_ms() const {
  return *std::min_element(quickest_.begin(),
                           quickest_.begin() + static_cast<ptrdiff_t>(std::max<size_t>(spans_, 1)));
}

void JitterDelay::NoteQuickest(double arrival_ms, double offset) {
  if (spans_ == 0 || arrival_ms - span_began_ >= kSpanMs) {
    std::move_backward(quickest_.begin(), quickest_.end() - 1, quickest_.end());
    quickest_[0] = offset;
    spans_ = std::min(spans_ + 1, kSpans);
    span_began_ = arrival_ms;
  }
  quickest_[0] = std::min(quickest_[0], offset);
}

void JitterDelay::Came(double arrival_ms, double media_ms) {
  const double offset = arrival_ms - media_ms;
  NoteQuickest(arrival_ms, offset);
  ++packets_;
  Learn(offset - quickest_ms());
}

void JitterDelay::Learn(double late_ms) {
  const double memory = std::min(kMaxMemory, 1.0 - 1.0 / static_cast<double>(packets_ + 1));
  const size_t bucket = std::min(static_cast<size_t>(late_ms / kBucketMs), kBuckets - 1);
  for (double& share : share_) share *= memory;
  share_[bucket] += 1 - memory;
  double left = 0;
  for (const double share : share_) left += share;
  left *= kLate;
  size_t covered = kBuckets;
  while (covered > 1 && left >= share_[covered - 1]) left -= share_[--covered];
  const double wanted = static_cast<double>(covered) * kBucketMs + kTickMs;
  // The first packets are too few to allow a shorter delay.
  const double floor = packets_ < 25 ? kFirstTargetMs : 0;
  target_ = std::clamp(std::max(wanted, floor), bounds_.min_ms, bounds_.max_ms);
}

}  // namespace trunkline::rtp
