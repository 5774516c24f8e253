#include "lanes/omni/echo_copy_detector.h"

#include <algorithm>

namespace trunkline::omni {
namespace {

// The rate, the length and the greatest delay of the comparison.
constexpr int kCopyRate = 8000;
constexpr size_t kCopied = kCopyRate * 24 / 100, kLatest = kCopyRate * 45 / 100;
// The share of the audio that must be a copy, twice at the same delay, for an echo.
constexpr float kCopy = 0.55f;
constexpr size_t kSameDelay = 2;

// Downsamples by averaging.
void Thin(std::span<const int16_t> from, std::span<int16_t> to) {
  const size_t of = from.size() / to.size();
  for (size_t i = 0; i < to.size(); ++i) {
    int sum = 0;
    for (size_t k = 0; k < of; ++k) sum += from[i * of + k];
    to[i] = static_cast<int16_t>(sum / static_cast<int>(of));
  }
}

}  // namespace

EchoCopyDetector::EchoCopyDetector(int rate)
    : copy_(kCopied, kLatest),
      recent_(kCopied * static_cast<size_t>(rate / kCopyRate)),
      played_((kCopied + kLatest) * static_cast<size_t>(rate / kCopyRate)),
      heard_then_(kCopied),
      played_then_(kCopied + kLatest) {}

void EchoCopyDetector::Heard(std::span<const int16_t> piece) {
  std::copy(recent_.begin() + static_cast<ptrdiff_t>(piece.size()), recent_.end(), recent_.begin());
  std::copy(piece.begin(), piece.end(), recent_.end() - static_cast<ptrdiff_t>(piece.size()));
}

EchoCopyDetector::Found EchoCopyDetector::Find(int64_t clock, const Playout& playout) {
  const int64_t first = clock - static_cast<int64_t>(played_.size());
  playout.EchoDue(static_cast<uint64_t>(std::max<int64_t>(first, 0)), played_);
  Thin(recent_, heard_then_);
  Thin(played_, played_then_);
  const auto found = copy_.Find(heard_then_, played_then_);
  const bool alike = found.share >= kCopy;
  const bool again =
      alike && delay_ && std::max(*delay_, found.delay) - std::min(*delay_, found.delay) <= kSameDelay;
  delay_ = alike ? std::optional(found.delay) : std::nullopt;
  if (!again) return {};
  const bool known = found_;
  found_ = true;
  return {true, !known, found.db};
}

void EchoCopyDetector::Forget() {
  delay_.reset();
  found_ = false;
}

}  // namespace trunkline::omni
