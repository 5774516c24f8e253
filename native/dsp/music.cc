#include "dsp/music.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dsp/level.h"

namespace trunkline::dsp {
namespace {

// Bins of 15.6 Hz: from 200 Hz to 3.4 kHz.
constexpr size_t kLow = 13, kHigh = 218;
// A peak stands out of the mean of this many bins to each side by kStands times in power.
constexpr size_t kAround = 8;
constexpr float kStands = 4;
// Hops for which a pitch is held, and from which on it is a hum.
constexpr uint16_t kHeldHops = 4, kHumHops = 62;

constexpr float kSoundsDbfs = -50;
constexpr double kMinSounding = 0.9, kMinHeld = 0.3, kMaxSpeech = 0.55;
// Frames in a row that are no music before it has ended: 1.6 s.
constexpr int kUnlikeFrames = 50;
constexpr float kUnlikeHeld = 0.1f;

}  // namespace

HeldPitches::HeldPitches()
    : fft_(kFrame),
      window_(kFrame),
      samples_(kFrame),
      work_(kFrame),
      re_(fft_.bins()),
      im_(fft_.bins()),
      power_(fft_.bins()),
      age_(fft_.bins()),
      aged_(fft_.bins()) {
  for (size_t i = 0; i < kFrame; ++i) {
    window_[i] =
        static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / kFrame));
  }
}

MusicFrame HeldPitches::Frame(std::span<const float> hop) {
  std::copy(samples_.begin() + kHop, samples_.end(), samples_.begin());
  std::copy(hop.begin(), hop.end(), samples_.end() - kHop);
  double square = 0;
  for (size_t i = 0; i < kFrame; ++i) {
    square += static_cast<double>(samples_[i]) * samples_[i];
    work_[i] = samples_[i] * window_[i];
  }
  fft_.Forward(work_, re_, im_);
  for (size_t i = 0; i < power_.size(); ++i) power_[i] = re_[i] * re_[i] + im_[i] * im_[i];

  double all = 0, held = 0;
  float around = 0;
  for (size_t i = kLow - kAround; i < kLow + kAround; ++i) around += power_[i];
  for (size_t i = kLow; i < kHigh; ++i) {
    around += power_[i + kAround] - power_[i - kAround];
    all += power_[i];
    const bool top = power_[i] >= power_[i - 1] && power_[i] > power_[i + 1];
    const bool peak = top && power_[i] * (2 * kAround) >= kStands * around;
    const uint16_t age = std::max({age_[i - 1], age_[i], age_[i + 1]});
    aged_[i] = peak ? static_cast<uint16_t>(std::min<int>(age + 1, kHumHops)) : 0;
    if (aged_[i] > kHeldHops && aged_[i] < kHumHops) held += power_[i - 1] + power_[i] + power_[i + 1];
  }
  std::swap(age_, aged_);
  return {ToDbfs(square / kFrame), all > 0 ? static_cast<float>(held / all) : 0.0f};
}

void MusicWatch::Count(const Seen& seen, int sign) {
  sums_.held += sign * seen.held;
  sums_.speech += sign * seen.speech;
  sums_.sounding += sign * (seen.sounding ? 1 : 0);
}

void MusicWatch::End(double at_s) {
  playing_ = false;
  at_s_ = at_s;
  frames_ = 0;
  sums_ = {};
}

MusicWatch::Change MusicWatch::Frame(const MusicFrame& frame, float speech, double end_s) {
  Seen& oldest = seen_[frames_ % kFrames];
  if (frames_ >= kFrames) Count(oldest, -1);
  oldest = {frame.held, speech, frame.level_dbfs > kSoundsDbfs};
  Count(oldest, 1);
  ++frames_;
  if (playing_) {
    const bool unlike = !oldest.sounding || speech > kMaxSpeech || frame.held < kUnlikeHeld;
    unlike_ = unlike ? unlike_ + 1 : 0;
    if (unlike_ < kUnlikeFrames) return Change::kNone;
    End(end_s - 0.032 * kUnlikeFrames);
    return Change::kEnded;
  }
  if (frames_ < kFrames) return Change::kNone;
  const bool music = sums_.sounding >= kMinSounding * kFrames && sums_.held >= kMinHeld * kFrames &&
                     sums_.speech <= kMaxSpeech * kFrames;
  if (!music) return Change::kNone;
  playing_ = true;
  unlike_ = 0;
  at_s_ = end_s - 0.032 * kFrames;
  return Change::kBegan;
}

}  // namespace trunkline::dsp
