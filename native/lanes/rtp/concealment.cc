#include "lanes/rtp/concealment.h"

#include <algorithm>
#include <cmath>

namespace trunkline::rtp {
namespace {

constexpr size_t kHistoryMs = 50;
// Pitch from 66 to 400 Hz.
constexpr double kShortestMs = 2.5, kLongestMs = 15;
constexpr size_t kComparedMs = 20;
// The level is full for kFullMs, then falls to silence at kSilentMs.
constexpr size_t kFullMs = 10, kSilentMs = 60;
constexpr size_t kConcealedFadeMs = 4;

}  // namespace

Concealment::Concealment(int rate) : rate_(static_cast<size_t>(rate)), history_(rate_ * kHistoryMs / 1000) {
  period_.reserve(history_.size());
}

void Concealment::Reset() {
  std::fill(history_.begin(), history_.end(), int16_t{0});
  made_ = 0;
}

void Concealment::Heard(std::span<int16_t> samples) {
  if (made_ > 0) {
    const size_t fade = std::min(rate_ * kConcealedFadeMs / 1000, samples.size());
    for (size_t i = 0; i < fade; ++i) {
      const float in = static_cast<float>(i + 1) / static_cast<float>(fade + 1);
      const float mixed = static_cast<float>(samples[i]) * in + static_cast<float>(Next()) * (1 - in);
      samples[i] = static_cast<int16_t>(std::lrintf(mixed));
    }
    made_ = 0;
  }
  Remember(samples);
}

void Concealment::Remember(std::span<const int16_t> samples) {
  if (samples.size() >= history_.size()) {
    std::copy(samples.end() - static_cast<ptrdiff_t>(history_.size()), samples.end(), history_.begin());
    return;
  }
  std::move(history_.begin() + static_cast<ptrdiff_t>(samples.size()), history_.end(), history_.begin());
  std::copy(samples.begin(), samples.end(), history_.end() - static_cast<ptrdiff_t>(samples.size()));
}

// Returns the lag at which the end of the history matches best.
size_t Concealment::FindPitch() const {
  const size_t shortest = static_cast<size_t>(static_cast<double>(rate_) * kShortestMs / 1000);
  const size_t longest = static_cast<size_t>(static_cast<double>(rate_) * kLongestMs / 1000);
  const size_t compared = rate_ * kComparedMs / 1000;
  const int16_t* end = history_.data() + history_.size();
  const size_t step = std::max<size_t>(1, rate_ / 8000);
  double best = -1;
  size_t lag = longest;
  for (size_t candidate = shortest; candidate <= longest; candidate += step) {
    double product = 0, energy = 1;
    for (size_t i = 1; i <= compared; i += step) {
      const double now = *(end - i), before = *(end - i - candidate);
      product += now * before;
      energy += before * before;
    }
    const double similarity = product <= 0 ? 0 : product * product / energy;
    if (similarity <= best) continue;
    best = similarity;
    lag = candidate;
  }
  return lag;
}

// Builds one period whose end runs into its beginning.
void Concealment::Begin() {
  const size_t pitch = FindPitch();
  const size_t fade = pitch / 4;
  const int16_t* last = history_.data() + history_.size() - pitch;
  period_.assign(last, last + pitch);
  for (size_t i = 0; i < fade; ++i) {
    const float in = static_cast<float>(i + 1) / static_cast<float>(fade + 1);
    const size_t at = pitch - fade + i;
    period_[at] = period_[at] * (1 - in) + static_cast<float>(*(last - fade + i)) * in;
  }
  at_ = 0;
}

int16_t Concealment::Next() {
  const size_t ms = made_ * 1000 / rate_;
  float gain = 1;
  if (ms >= kSilentMs)
    gain = 0;
  else if (ms > kFullMs)
    gain = static_cast<float>(kSilentMs - ms) / static_cast<float>(kSilentMs - kFullMs);
  const float sample = period_[at_] * gain;
  at_ = (at_ + 1) % period_.size();
  ++made_;
  return static_cast<int16_t>(std::lrintf(sample));
}

void Concealment::Fill(std::span<int16_t> out) {
  if (made_ == 0) Begin();
  for (int16_t& sample : out) sample = Next();
  Remember(out);
}

}  // namespace trunkline::rtp
