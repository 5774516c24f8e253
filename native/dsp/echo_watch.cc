#include "dsp/echo_watch.h"

#include <algorithm>
#include <cmath>

#include "dsp/level.h"

namespace trunkline::dsp {
namespace {

// The share that must be a copy, in two looks with delays within 10 ms, for an echo.
constexpr float kCopy = 0.55f;
constexpr size_t kSameDelay = EchoFinder::kRate / 100;
// The interval of looks over all lines, for one line, and for a line whose last look may have found an echo.
constexpr double kTurnMs = 10, kEveryMs = 1000, kAgainMs = 200;
// Sent audio below this level counts as silent.
constexpr float kSoundDbfs = -50;

}  // namespace

EchoFinder::EchoFinder() : copy_(kHeard, kLatest) {}

bool EchoFinder::Begin(double now_ms) {
  if (busy_.test_and_set(std::memory_order_acquire)) return false;
  if (std::abs(now_ms - looked_ms_) >= kTurnMs) {
    looked_ms_ = now_ms;
    return true;
  }
  busy_.clear(std::memory_order_release);
  return false;
}

DelayedCopy::Found EchoFinder::Measure(std::span<const int16_t> heard, std::span<const int16_t> sent) {
  const auto found = LevelOf(sent) < kSoundDbfs ? DelayedCopy::Found{} : copy_.Find(heard, sent);
  busy_.clear(std::memory_order_release);
  return found;
}

void EchoWatch::Ring::Push(int16_t sample) {
  samples[next] = sample;
  if (++next == samples.size()) next = 0;
}

void EchoWatch::Ring::CopyTo(std::span<int16_t> to) const {
  const auto oldest = samples.begin() + static_cast<ptrdiff_t>(next);
  std::copy(samples.begin(), oldest, std::copy(oldest, samples.end(), to.begin()));
}

EchoWatch::EchoWatch(int rate, EchoFinder& finder)
    : decimation_(static_cast<size_t>(std::max(rate / EchoFinder::kRate, 1))),
      finder_(finder),
      sent_(EchoFinder::kHeard + EchoFinder::kLatest),
      heard_(EchoFinder::kHeard),
      sent_then_(sent_.samples.size()),
      heard_then_(heard_.samples.size()) {}

// Downsamples by averaging.
void EchoWatch::Decimate(std::span<const int16_t> samples, Ring& ring) const {
  for (size_t i = 0; i + decimation_ <= samples.size(); i += decimation_) {
    int sum = 0;
    for (size_t k = 0; k < decimation_; ++k) sum += samples[i + k];
    ring.Push(static_cast<int16_t>(sum / static_cast<int>(decimation_)));
  }
}

void EchoWatch::Measure(double now_ms) {
  if (now_ms - looked_ms_ < (delay_ ? kAgainMs : kEveryMs) || !finder_.Begin(now_ms)) return;
  looked_ms_ = now_ms;
  sent_.CopyTo(sent_then_);
  heard_.CopyTo(heard_then_);
  Found(finder_.Measure(heard_then_, sent_then_));
}

void EchoWatch::Found(const DelayedCopy::Found& found) {
  const bool alike = found.share >= kCopy;
  const bool again =
      alike && delay_ && std::max(*delay_, found.delay) - std::min(*delay_, found.delay) <= kSameDelay;
  // A pair of matching looks is complete; the next echo needs another pair.
  delay_ = alike && !again ? std::optional(found.delay) : std::nullopt;
  if (!again) return;
  // Other audio of the near end does not count.
  power_ += std::pow(10.0, found.db / 10) * found.share * found.share;
  echo_delay_ = found.delay;
  ++echoes_;
}

std::optional<LineEcho> EchoWatch::echo() const {
  if (echoes_ == 0) return std::nullopt;
  return LineEcho{1000.0 * static_cast<double>(echo_delay_) / EchoFinder::kRate,
                  10 * std::log10(power_ / echoes_)};
}

}  // namespace trunkline::dsp
