#include "dsp/limiter.h"

#include <algorithm>
#include <cmath>

#include "dsp/convert.h"

namespace trunkline::dsp {
namespace {

constexpr int32_t kUnity = 1 << 30;

}  // namespace

Limiter::Limiter(int rate, const Options& options)
    : ceiling_(options.ceiling),
      window_(static_cast<size_t>(
          std::max(1.0f, std::round(options.look_ahead_ms * static_cast<float>(rate) / 1000)))),
      release_(1 - std::exp(-1000.0 / (std::max(0.1f, options.release_ms) * rate))),
      delayed_(window_),
      candidates_(window_),
      recent_(window_) {
  Reset();
}

void Limiter::Reset() {
  std::ranges::fill(delayed_, 0.0f);
  std::ranges::fill(recent_, kUnity);
  recent_sum_ = static_cast<int64_t>(window_) * kUnity;
  released_ = kUnity;
  front_ = candidate_count_ = 0;
  position_ = 0;
  held_ = 0;
}

void Limiter::Process(std::span<const float> in, std::span<float> out) {
  Contain(in, out, held_);
  for (float& sample : out.first(std::min(in.size(), out.size()))) sample = Step(sample);
}

// The least gain of the last `window_` samples, with a recovery that stays below it, averaged over the
// window: when a peak leaves the delay, every gain in the mean was at most the one that it needs.
float Limiter::Step(float sample) {
  const float size = std::abs(sample);
  const int32_t needed =
      size > ceiling_ ? static_cast<int32_t>(static_cast<double>(ceiling_) / size * kUnity) : kUnity;
  const int32_t least = MinOfWindow(needed);
  const double recovered = released_ + (kUnity - released_) * release_;
  released_ = std::min(least, static_cast<int32_t>(std::ceil(recovered)));
  const size_t slot = static_cast<size_t>(position_ % window_);
  recent_sum_ += released_ - recent_[slot];
  recent_[slot] = released_;
  delayed_[slot] = sample;
  ++position_;
  const float late = delayed_[static_cast<size_t>(position_ % window_)];
  const double gain = static_cast<double>(recent_sum_) / (static_cast<double>(window_) * kUnity);
  // The clamp only corrects rounding.
  return std::clamp(static_cast<float>(late * gain), -ceiling_, ceiling_);
}

int32_t Limiter::MinOfWindow(int32_t gain) {
  const auto at = [&](size_t i) -> Candidate& { return candidates_[(front_ + i) % window_]; };
  if (candidate_count_ > 0 && at(0).at + window_ <= position_) {
    front_ = (front_ + 1) % window_;
    --candidate_count_;
  }
  while (candidate_count_ > 0 && at(candidate_count_ - 1).gain >= gain) --candidate_count_;
  at(candidate_count_++) = {position_, gain};
  return at(0).gain;
}

}  // namespace trunkline::dsp
