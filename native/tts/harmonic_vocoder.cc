#include "tts/harmonic_vocoder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace trunkline::tts {
namespace {

constexpr int kRate = 24000;
constexpr float kHighestHarmonicHz = 11000;
constexpr float kMaxLog = 7;
constexpr float kPi = std::numbers::pi_v<float>;

// The functions below have no branches, so that loops over bins are vectorized. Each is right to 2e-7.

float RoundToInt(float x, int& whole) {
  whole = static_cast<int>(x + (x < 0 ? -0.5F : 0.5F));
  return static_cast<float>(whole);
}

float Exp(float x) {
  constexpr float kLog2 = 1.44269504F, kHigh = 0.693145752F, kLow = 1.42860677e-6F;
  x = std::max(x, -80.0F);
  int power;
  const float whole = RoundToInt(x * kLog2, power);
  const float r = x - whole * kHigh - whole * kLow;
  const float series =
      1 +
      r * (1 + r * (0.5F + r * (0.166666667F + r * (0.0416666667F + r * (8.33333e-3F + r * 1.388889e-3F)))));
  return series * std::bit_cast<float>((power + 127) << 23);
}

struct Rotation {
  float cosine, sine;
};

Rotation Rotate(float angle) {
  constexpr float kHigh = 1.57079637F, kLow = -4.37113883e-8F;
  int quarter;
  const float whole = RoundToInt(angle * (2 / kPi), quarter);
  const float r = angle - whole * kHigh - whole * kLow, q = r * r;
  const float s =
      r * (1 + q * (-0.166666667F + q * (8.3333333e-3F + q * (-1.98412698e-4F + q * 2.7557e-6F))));
  const float c = 1 + q * (-0.5F + q * (0.0416666667F + q * (-1.38888889e-3F + q * 2.48015873e-5F)));
  const bool odd = (quarter & 1) != 0;
  const float sine = odd ? c : s, cosine = odd ? s : c;
  return {((quarter + 1) & 2) != 0 ? -cosine : cosine, (quarter & 2) != 0 ? -sine : sine};
}

float Tanh(float x) {
  return 1 - 2 / (Exp(2 * std::clamp(x, -15.0F, 15.0F)) + 1);
}

}  // namespace

HarmonicVocoder::HarmonicVocoder(const VocoderInput& input, uint64_t seed)
    : input_(input), frames_(input.hertz.size()), noise_(seed), fft_(kSize), window_(kSize) {
  for (size_t i = 0; i < kSize; ++i)
    window_[i] =
        static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / kSize));
}

void HarmonicVocoder::Step(size_t frames, std::vector<float>& out) {
  const size_t until = std::min(given_ + frames, frames_);
  while (given_ < until) {
    if (added_ < frames_) AddFrame(added_);
    TakeBlock(added_, out);
    ++added_;
  }
}

// All harmonics below the highest at unit amplitude.
float HarmonicVocoder::Pulse(float hertz) {
  const bool voiced = hertz > kHarmonicVoicedHz;
  hertz = std::max(hertz, kHarmonicVoicedHz);
  turns_ += static_cast<double>(hertz) / kRate;
  turns_ -= std::floor(turns_);
  if (!voiced) return 0;
  const auto angle = static_cast<float>(2 * std::numbers::pi * turns_);
  const float harmonics = std::floor(kHighestHarmonicHz / hertz) + 0.5F;
  const float below = 2 * std::sin(angle / 2);
  return (std::abs(below) <= 2e-3F ? harmonics : std::sin(harmonics * angle) / below) - 0.5F;
}

// The pitch is linear between the middles of frames.
void HarmonicVocoder::MakePulses(size_t until) {
  for (size_t i = pulses_.size(); i < std::min(until, frames_ * kVocoderHop); ++i) {
    const size_t frame = i / kVocoderHop, at = i % kVocoderHop;
    const float middle = (static_cast<float>(at) + 0.5F) / kVocoderHop - 0.5F;
    const float here = input_.hertz[frame];
    const float other =
        middle < 0 ? input_.hertz[frame > 0 ? frame - 1 : 0] : input_.hertz[std::min(frame + 1, frames_ - 1)];
    pulses_.push_back(Pulse(here + std::abs(middle) * (other - here)));
  }
}

void HarmonicVocoder::AddFrame(size_t frame) {
  constexpr size_t kHalf = kSize / 2;
  MakePulses(frame * kVocoderHop + kHalf);
  // The ends are mirrored.
  const auto last = static_cast<ptrdiff_t>(frames_ * kVocoderHop) - 1;
  for (size_t i = 0; i < kSize; ++i) {
    auto at = std::abs(static_cast<ptrdiff_t>(frame * kVocoderHop + i) - static_cast<ptrdiff_t>(kHalf));
    if (at > last) at = std::max<ptrdiff_t>(2 * last - at, 0);
    wave_[i] = pulses_[static_cast<size_t>(at)] * window_[i] / kVocoderHop;
  }
  fft_.Forward(wave_, re_, im_);
  std::array<float, kVocoderBins> noise_re, noise_im, harmonic, phase, noise, free, free_phase;
  for (size_t bin = 0; bin < kVocoderBins; ++bin) {
    std::tie(noise_re[bin], noise_im[bin]) = noise_.Pair();
    const size_t at = bin * frames_ + frame;
    harmonic[bin] = std::min(input_.harmonic[at], kMaxLog);
    phase[bin] = input_.harmonic_phase[at];
    noise[bin] = std::min(input_.noise[at], kMaxLog);
    free[bin] = std::min(input_.free[at], kMaxLog);
    free_phase[bin] = input_.free_phase[at];
  }
  for (size_t bin = 0; bin < kVocoderBins; ++bin) {
    const Rotation turn = Rotate(kPi * Tanh(phase[bin])), open = Rotate(free_phase[bin]);
    const float a = Exp(harmonic[bin]), b = Exp(noise[bin]), c = Exp(free[bin]);
    const float re = re_[bin], im = im_[bin];
    re_[bin] = a * (re * turn.cosine - im * turn.sine) + b * noise_re[bin] + c * open.cosine;
    im_[bin] = a * (re * turn.sine + im * turn.cosine) + b * noise_im[bin] + c * open.sine;
  }
  fft_.Inverse(re_, im_, wave_);
  for (size_t i = 0; i < kSize; ++i) sum_[i] += wave_[i] * window_[i];
}

// Frames overlap by four, and a block is complete after its last; the first two blocks lie before the audio.
void HarmonicVocoder::TakeBlock(size_t block, std::vector<float>& out) {
  constexpr size_t kBefore = 2;
  if (block >= kBefore) {
    for (size_t i = 0; i < kVocoderHop; ++i) {
      float weight = 0;
      for (size_t k = 0; k < kBlocks; ++k) {
        const float w = window_[k * kVocoderHop + i];
        if (block >= k && block - k < frames_) weight += w * w;
      }
      out.push_back(sum_[i] / std::max(weight, 1e-11F));
    }
    ++given_;
  }
  std::copy(sum_.begin() + kVocoderHop, sum_.end(), sum_.begin());
  std::fill(sum_.end() - kVocoderHop, sum_.end(), 0.0F);
}

}  // namespace trunkline::tts
