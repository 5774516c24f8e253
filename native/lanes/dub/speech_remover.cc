#include "lanes/dub/speech_remover.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trunkline::dub {
namespace {

constexpr size_t kSize = 2048;
constexpr size_t kHop = 512;
// The sum of the squared windows at this hop.
constexpr float kOverlap = 2;
constexpr size_t kFramesPerStep = 200;
constexpr size_t kBinsPerStep = 100;
// The speech probability from which audio is treated as speech, and the margin around it, because consonants
// are detected late.
constexpr float kSpeech = 0.3f;
constexpr double kAround = 0.12;
// Voices have no energy below this band and nothing audible above it.
constexpr double kLowest = 70;
constexpr double kHighest = 12000;
// Seconds on either side from which a bin's background level is estimated, and the least time without speech.
constexpr double kLearnt = 4;
constexpr size_t kMinQuiet = 24;
// Corrects the level of a bin's quietest moments, which are quieter than the background.
constexpr float kAboveQuietest = 2.0f;
constexpr float kMinGain = 0.01f;
constexpr float kTiny = 1e-12f;

size_t FramesIn(size_t samples) {
  return samples / kHop + kSize / kHop;
}

constexpr double kFramesPerSecond = static_cast<double>(SpeechRemover::kRate) / kHop;

}  // namespace

SpeechRemover::SpeechRemover(std::span<float> left, std::span<float> right,
                             std::span<const float> likelihoods, size_t heard)
    : left_(left),
      right_(right),
      stereo_(left.data() != right.data()),
      fft_(kSize),
      bins_(fft_.bins()),
      frames_(FramesIn(left.size())),
      window_(kSize),
      samples_(kSize),
      re_(bins_),
      im_(bins_),
      speech_(frames_, 0),
      middle_(frames_ * bins_),
      gain_(frames_ * bins_, 0.0f),
      row_(std::max(bins_, frames_)),
      removed_(left.size(), 0.0f) {
  for (size_t i = 0; i < kSize; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / kSize;
    window_[i] = static_cast<float>(std::sqrt(0.5 - 0.5 * std::cos(turn)));
  }
  const auto around = static_cast<ptrdiff_t>(kAround * kFramesPerSecond);
  for (size_t i = 0; i < likelihoods.size(); ++i) {
    if (likelihoods[i] < kSpeech) continue;
    const auto first = static_cast<ptrdiff_t>(i * heard / kHop);
    const auto last = static_cast<ptrdiff_t>((i + 1) * heard / kHop + kSize / kHop);
    const auto end = std::min(static_cast<ptrdiff_t>(frames_), last + around);
    for (ptrdiff_t f = std::max<ptrdiff_t>(0, first - around); f < end; ++f)
      speech_[static_cast<size_t>(f)] = 1;
  }
}

bool SpeechRemover::Step() {
  const auto through = [this](size_t most, size_t all, Stage following, auto&& each) {
    const size_t end = std::min(all, next_ + most);
    for (; next_ < end; ++next_) each(next_);
    if (next_ < all) return;
    next_ = 0;
    stage_ = following;
  };
  switch (stage_) {
    case Stage::kRead:
      through(kFramesPerStep, frames_, Stage::kLearn, [this](size_t frame) { Read(frame); });
      return false;
    case Stage::kLearn:
      through(kBinsPerStep, bins_, Stage::kSmooth, [this](size_t bin) { Learn(bin); });
      return false;
    case Stage::kSmooth:
      through(kFramesPerStep, frames_, Stage::kWrite, [this](size_t frame) { Smooth(frame); });
      return false;
    case Stage::kWrite:
      through(kFramesPerStep, frames_, Stage::kDone, [this](size_t frame) { Write(frame); });
      if (stage_ == Stage::kDone) Finish();
      return stage_ == Stage::kDone;
    case Stage::kDone:
      return true;
  }
  return true;
}

ptrdiff_t SpeechRemover::Begin(size_t frame) const {
  return static_cast<ptrdiff_t>((frame + 1) * kHop) - static_cast<ptrdiff_t>(kSize);
}

bool SpeechRemover::SpeechIn(size_t frame) const {
  return speech_[frame] != 0;
}

void SpeechRemover::Window(std::span<const float> from, size_t frame, float sign) {
  const ptrdiff_t begin = Begin(frame);
  for (size_t i = 0; i < kSize; ++i) {
    const ptrdiff_t at = begin + static_cast<ptrdiff_t>(i);
    if (at < 0 || at >= static_cast<ptrdiff_t>(left_.size())) {
      samples_[i] = 0;
      continue;
    }
    const auto s = static_cast<size_t>(at);
    samples_[i] = window_[i] * 0.5f * (from[s] + sign * right_[s]);
  }
}

// Computes the power of the middle and how much of it the sides explain.
void SpeechRemover::Read(size_t frame) {
  Window(left_, frame, 1);
  fft_.Forward(samples_, re_, im_);
  for (size_t b = 0; b < bins_; ++b) middle_[At(frame, b)] = re_[b] * re_[b] + im_[b] * im_[b];
  if (!stereo_ || !SpeechIn(frame)) return;
  Window(left_, frame, -1);
  fft_.Forward(samples_, re_, im_);
  for (size_t b = 0; b < bins_; ++b) {
    const float side = re_[b] * re_[b] + im_[b] * im_[b];
    gain_[At(frame, b)] = std::min(1.0f, std::sqrt(side / (middle_[At(frame, b)] + kTiny)));
  }
}

// Estimates a bin's background around each frame with speech.
void SpeechRemover::Learn(size_t bin) {
  const double hertz = static_cast<double>(bin) * kRate / kSize;
  const bool voices = hertz >= kLowest && hertz <= kHighest;
  const auto radius = static_cast<size_t>(kLearnt * kFramesPerSecond);
  double quiet_power = 0;
  size_t quiet = 0, begin = 0, end = 0;
  std::vector<size_t> least;  // candidates of the sliding minimum, a queue from `first`
  size_t first = 0;
  for (size_t f = 0; f < frames_; ++f) {
    for (; end < std::min(frames_, f + radius); ++end) {
      const float power = middle_[At(end, bin)];
      if (!SpeechIn(end)) {
        quiet_power += power;
        ++quiet;
      }
      while (least.size() > first && middle_[At(least.back(), bin)] >= power) least.pop_back();
      least.push_back(end);
    }
    for (; begin + radius < f; ++begin) {
      if (SpeechIn(begin)) continue;
      quiet_power -= middle_[At(begin, bin)];
      --quiet;
    }
    while (least[first] < begin) ++first;
    const size_t at = At(f, bin);
    if (!voices || !SpeechIn(f)) {
      gain_[at] = 1;
      continue;
    }
    const double mean = quiet > 0 ? std::max(0.0, quiet_power) / static_cast<double>(quiet) : 0;
    const float known =
        quiet >= kMinQuiet ? static_cast<float>(mean) : kAboveQuietest * middle_[At(least[first], bin)];
    const float share = std::sqrt(known / (middle_[at] + kTiny));
    gain_[at] = std::clamp(std::max(share, gain_[at]), kMinGain, 1.0f);
  }
}

// Smooths over frequency, because single ringing bins sound like water.
void SpeechRemover::Smooth(size_t frame) {
  const std::span<float> gains(&gain_[At(frame, 0)], bins_);
  std::copy(gains.begin(), gains.end(), row_.begin());
  for (size_t b = 1; b + 1 < bins_; ++b)
    gains[b] = 0.25f * row_[b - 1] + 0.5f * row_[b] + 0.25f * row_[b + 1];
}

void SpeechRemover::Write(size_t frame) {
  if (!SpeechIn(frame)) return;
  Window(left_, frame, 1);
  fft_.Forward(samples_, re_, im_);
  for (size_t b = 0; b < bins_; ++b) {
    const float gone = 1 - gain_[At(frame, b)];
    re_[b] *= gone;
    im_[b] *= gone;
  }
  fft_.Inverse(re_, im_, samples_);
  const ptrdiff_t begin = Begin(frame);
  for (size_t i = 0; i < kSize; ++i) {
    const ptrdiff_t at = begin + static_cast<ptrdiff_t>(i);
    if (at < 0 || at >= static_cast<ptrdiff_t>(removed_.size())) continue;
    removed_[static_cast<size_t>(at)] += window_[i] * samples_[i] / kOverlap;
  }
}

void SpeechRemover::Finish() {
  for (size_t i = 0; i < removed_.size(); ++i) {
    left_[i] -= removed_[i];
    if (stereo_) right_[i] -= removed_[i];
  }
}

}  // namespace trunkline::dub
