#include "dsp/echo_shift.h"

#include <algorithm>
#include <cmath>

#include "dsp/blocks.h"

namespace trunkline::dsp {
namespace {

// The correlation, and its duration in blocks, at which a shift is accepted.
constexpr float kAlike = 0.5;
constexpr int kAccepted = 4;
constexpr float kRecent = 0.9f, kMinSeen = 4;

}  // namespace

EchoShift::EchoShift(size_t block, size_t radius)
    : block_(block),
      radius_(radius * block),
      echoes_((2 * radius + 1) * block),
      nears_((radius + 1) * block),
      similarity_(2 * radius_ + 1) {}

void EchoShift::Take(std::span<const float> expected, std::span<const float> heard) {
  Append(echoes_, expected);
  Append(nears_, heard);
}

ptrdiff_t EchoShift::Check() {
  // Each block has the same weight, because a caller's voice is much louder than an echo.
  const auto heard = HeardThen();
  const float scale = 1 / std::sqrt(EnergyOf(ExpectedThen()) * (EnergyOf(heard) + 1e-9f));
  seen_ = kRecent * seen_ + 1;
  size_t best = radius_;
  for (size_t lag = 0; lag < similarity_.size(); ++lag) {
    // The expected echo, later by `lag - radius_` samples.
    const float* echo = echoes_.data() + 2 * radius_ - lag;
    float sum = 0;
    for (size_t i = 0; i < block_; ++i) sum += heard[i] * echo[i];
    similarity_[lag] = kRecent * similarity_[lag] + scale * sum;
    if (similarity_[lag] > similarity_[best]) best = lag;
  }
  const ptrdiff_t by = static_cast<ptrdiff_t>(best) - static_cast<ptrdiff_t>(radius_);
  const bool alike = seen_ >= kMinSeen && similarity_[best] > kAlike * seen_;
  likely_ = alike && by == likeliest_ ? likely_ + 1 : 0;
  likeliest_ = by;
  return likely_ >= kAccepted ? by : 0;
}

void EchoShift::Forget() {
  std::fill(similarity_.begin(), similarity_.end(), 0.0f);
  seen_ = 0;
  likely_ = 0;
}

void EchoShift::ForgetExpected() {
  std::fill(echoes_.begin(), echoes_.end(), 0.0f);
}

}  // namespace trunkline::dsp
