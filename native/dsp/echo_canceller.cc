#include "dsp/echo_canceller.h"

#include <algorithm>
#include <cmath>

#include "dsp/blocks.h"
#include "dsp/convert.h"

namespace trunkline::dsp {
namespace {

// The decay of the filter's confidence in each block.
constexpr float kKeep = 0.999f;
// The initial variance of a coefficient, and the least change of an echo's.
constexpr float kUnknown = 0.02f, kMinSize = 3e-4f;
// The near-end power is half this average, half the present value.
constexpr float kAverage = 0.8f;
constexpr float kSilentPower = 3e-9f;  // -85 dBFS
// An echo is present when on average this share of a block is cancelled.
constexpr double kSureShare = 0.4, kShareStep = 0.03;
// An echo of this mean square stands out of the line's noise.
constexpr double kAudible = 1e-6;
// The far end's player may have restarted after this many silent blocks.
constexpr int kPause = 25;
// The echo counts as cancelled once it has been quieter by kProvenDb for kProof blocks; taken_out_db()
// promises less.
constexpr double kProvenDb = 7;
constexpr int kProof = 8;
constexpr float kPromised = 0.7f, kMaxDb = 18;
// Blocks of an echo for which a good filter is not adapted: it may only have to be shifted.
constexpr int kHoldOffBlocks = 30;

}  // namespace

EchoCanceller::EchoCanceller(int rate)
    : block_(static_cast<size_t>(rate) / 100),
      bins_(block_ + 1),
      ahead_(kShiftBlocks * block_),
      clock_(block_),
      fft_(2 * block_),
      far_((kBlocks + 2 + 2 * kShiftBlocks) * block_),
      far_re_(kBlocks * bins_),
      far_im_(kBlocks * bins_),
      re_(kBlocks * bins_),
      im_(kBlocks * bins_),
      unsure_(kBlocks * bins_, kUnknown),
      else_(bins_),
      echo_re_(bins_),
      echo_im_(bins_),
      error_re_(bins_),
      error_im_(bins_),
      weight_(bins_),
      time_(2 * block_),
      near_(block_),
      error_(block_),
      shifts_(block_, kShiftBlocks) {}

void EchoCanceller::Process(std::span<const int16_t> far, std::span<int16_t> near) {
  Advance(far);
  far_quiet_ = loud_[newest_] < kSilentPower ? far_quiet_ + 1 : 0;
  if (far_quiet_ == kPause) {
    Distrust();
    hold_off_ = sure_ ? kHoldOffBlocks : 0;
  }
  if (*std::max_element(loud_.begin(), loud_.end()) < kSilentPower) return;
  ToFloat(near, near_);
  Predict();
  const bool helps = Helps();
  FollowShift();
  if (hold_off_ == 0) Learn();
  if (helps) ToInt16(error_, near);
}

void EchoCanceller::Advance(std::span<const int16_t> far) {
  const auto given = std::span<float>(time_).first(far.size());
  const auto block = std::span<float>(error_);
  ToFloat(far, given);
  clock_.Take(given, block);
  Append(far_, block);
  newest_ = (newest_ + kBlocks - 1) % kBlocks;
  Transform(0);
}

// Computes the spectrum of the window `block` blocks back.
void EchoCanceller::Transform(size_t block) {
  const auto start = static_cast<size_t>(static_cast<ptrdiff_t>(Due() - (block + 1) * block_) - shift_);
  const auto window = std::span<const float>(far_).subspan(start, 2 * block_);
  const size_t at = (newest_ + block) % kBlocks;
  loud_[at] = EnergyOf(window.last(block_)) / static_cast<float>(block_);
  fft_.Forward(window, Spectrum(far_re_, at), Spectrum(far_im_, at));
}

void EchoCanceller::Predict() {
  std::fill(echo_re_.begin(), echo_re_.end(), 0.0f);
  std::fill(echo_im_.begin(), echo_im_.end(), 0.0f);
  for (size_t block = 0; block < kBlocks; ++block) {
    const size_t x = (newest_ + block) % kBlocks * bins_, w = block * bins_;
    for (size_t k = 0; k < bins_; ++k) {
      echo_re_[k] += far_re_[x + k] * re_[w + k] - far_im_[x + k] * im_[w + k];
      echo_im_[k] += far_re_[x + k] * im_[w + k] + far_im_[x + k] * re_[w + k];
    }
  }
  fft_.Inverse(echo_re_, echo_im_, time_);
  for (size_t i = 0; i < block_; ++i) error_[i] = near_[i] - time_[block_ + i];
  shifts_.Take(std::span<const float>(time_).last(block_), near_);
  std::fill_n(time_.begin(), block_, 0.0f);
  std::copy(error_.begin(), error_.end(), time_.begin() + static_cast<ptrdiff_t>(block_));
  fft_.Forward(time_, error_re_, error_im_);
}

void EchoCanceller::Learn() {
  for (size_t k = 0; k < bins_; ++k) {
    const float now = error_re_[k] * error_re_[k] + error_im_[k] * error_im_[k];
    else_[k] = kAverage * else_[k] + (1 - kAverage) * now;
    weight_[k] = now + else_[k] + 1e-9f;
  }
  for (size_t block = 0; block < kBlocks; ++block) {
    const size_t x = (newest_ + block) % kBlocks * bins_, w = block * bins_;
    for (size_t k = 0; k < bins_; ++k) {
      weight_[k] += unsure_[w + k] * (far_re_[x + k] * far_re_[x + k] + far_im_[x + k] * far_im_[x + k]);
    }
  }
  for (size_t k = 0; k < bins_; ++k) weight_[k] = 1 / weight_[k];
  float most = -1;
  size_t strongest = 0;
  for (size_t block = 0; block < kBlocks; ++block) {
    Adapt(block);
    const float size = EnergyOf(Spectrum(re_, block)) + EnergyOf(Spectrum(im_, block));
    if (size > most) most = size, strongest = block;
  }
  // Each block is constrained in turn, and the dominant one every time.
  turn_ = (turn_ + 1) % kBlocks;
  Constrain(turn_);
  if (strongest != turn_) Constrain(strongest);
}

void EchoCanceller::Adapt(size_t block) {
  const size_t x = (newest_ + block) % kBlocks * bins_, w = block * bins_;
  for (size_t k = 0; k < bins_; ++k) {
    const float far_re = far_re_[x + k], far_im = far_im_[x + k];
    const float gain = unsure_[w + k] * weight_[k];
    re_[w + k] += gain * (far_re * error_re_[k] + far_im * error_im_[k]);
    im_[w + k] += gain * (far_re * error_im_[k] - far_im * error_re_[k]);
    const float size = re_[w + k] * re_[w + k] + im_[w + k] * im_[w + k];
    const float known = 1 - 0.5f * gain * (far_re * far_re + far_im * far_im);
    unsure_[w + k] = kKeep * known * unsure_[w + k] + (1 - kKeep) * (size + kMinSize);
  }
}

// Removes the part of a block's coefficients that wraps around in time.
void EchoCanceller::Constrain(size_t block) {
  fft_.Inverse(Spectrum(re_, block), Spectrum(im_, block), time_);
  std::fill(time_.begin() + static_cast<ptrdiff_t>(block_), time_.end(), 0.0f);
  fft_.Forward(time_, Spectrum(re_, block), Spectrum(im_, block));
}

bool EchoCanceller::Helps() {
  const double heard = EnergyOf(near_), left = EnergyOf(error_);
  const double expected = EnergyOf(shifts_.Expected(block_));
  if (std::min(heard, expected) >= kAudible / 10 * static_cast<double>(block_)) {
    // Each block has the same weight, however loud a caller was in it.
    share_ += kShareStep * (std::max(-1.0, 1 - left / heard) - share_);
    sure_ = sure_ || share_ > kSureShare;
  }
  Prove(heard, left);
  const bool echoes = sure_ && expected >= kAudible * static_cast<double>(block_);
  if (echoes && hold_off_ == 0) clock_.Hear(shifts_.Expected(block_ + 1), error_, heard);
  return sure_ && left < heard;
}

void EchoCanceller::Prove(double heard, double left) {
  heard_ = 0.85 * heard_ + heard;
  left_ = 0.85 * left_ + left;
  const double expected = EnergyOf(shifts_.Expected(block_));
  if (!sure_ || expected < kAudible * static_cast<double>(block_)) return;
  const double db = 10 * std::log10((heard_ + 1e-12) / (left_ + 1e-12));
  proof_ = db >= kProvenDb ? proof_ + 1 : 0;
  if (proof_ < kProof) return;
  taken_out_db_ = std::min(kMaxDb, kPromised * static_cast<float>(db));
  proven_ = true;
  hold_off_ = 0;
}

// A shift is looked for only while the echo is not cancelled, since it may have moved.
void EchoCanceller::FollowShift() {
  const double energy = EnergyOf(shifts_.ExpectedThen());
  if (!sure_ || energy < kAudible * static_cast<double>(block_)) return;
  if (hold_off_ > 0) --hold_off_;
  if (left_ < 0.2 * heard_) return;
  const ptrdiff_t by = shifts_.Check();
  if (by != 0) Shift(by);
}

void EchoCanceller::Shift(ptrdiff_t by) {
  const auto most = static_cast<ptrdiff_t>(ahead_);
  shift_ = std::clamp(shift_ + by, -most, most);
  for (size_t block = 0; block < kBlocks; ++block) Transform(block);
  shifts_.ForgetExpected();
  Distrust();
}

void EchoCanceller::Distrust() {
  shifts_.Forget();
  clock_.Forget();
  heard_ = left_ = 0;
  proven_ = false;
  proof_ = 0;
}

void EchoCanceller::MarkUnreliable() {
  proven_ = false;
  proof_ = 0;
  for (float& one : unsure_) one = std::max(one, 0.1f * kUnknown);
}

void EchoCanceller::Readapt() {
  Distrust();
  hold_off_ = 0;
  std::fill(unsure_.begin(), unsure_.end(), kUnknown);
}

}  // namespace trunkline::dsp
