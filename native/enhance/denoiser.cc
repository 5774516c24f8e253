#include "enhance/denoiser.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace trunkline::enhance {
namespace {

constexpr size_t kHop = Dtln::kHop;
// Half a step of 16 bits: quieter is silence, which stays silent.
constexpr float kSilent = 0.5F / 32768;

bool IsSilent(std::span<const float> samples) {
  return std::all_of(samples.begin(), samples.end(),
                     [](float sample) { return std::fabs(sample) < kSilent; });
}

// Returns `samples` without those of a filter's rise that are still to be dropped.
std::span<const float> WithoutRise(std::span<const float> samples, size_t rise, size_t& skipped) {
  const size_t dropped = std::min(samples.size(), rise - skipped);
  skipped += dropped;
  return samples.subspan(dropped);
}

void Resample(dsp::Resampler& resampler, std::span<const float> in, std::vector<float>& out) {
  out.resize(resampler.OutputSize(in.size()));
  resampler.Process(in, out);
}

}  // namespace

base::Result<std::unique_ptr<Denoiser>> Denoiser::Create(std::shared_ptr<const Dtln> model, int rate) {
  std::optional<dsp::Resampler> up, down;
  if (rate != Dtln::kRate) {
    up = dsp::Resampler::Create(rate, Dtln::kRate, dsp::Grade::kSpeech);
    down = dsp::Resampler::Create(Dtln::kRate, rate, dsp::Grade::kSpeech);
    if (!up || !down)
      return base::Status(base::Code::kInvalidArgument,
                          "audio of " + std::to_string(rate) + " Hz cannot be denoised");
  }
  return std::unique_ptr<Denoiser>(new Denoiser(std::move(model), std::move(up), std::move(down)));
}

Denoiser::Denoiser(std::shared_ptr<const Dtln> model, std::optional<dsp::Resampler> up,
                   std::optional<dsp::Resampler> down)
    : model_(std::move(model)), up_(std::move(up)), down_(std::move(down)) {
  Begin();
}

void Denoiser::Begin() {
  if (up_) up_->Reset();
  if (down_) down_->Reset();
  memory_ = {};
  waiting_.clear();
  window_.fill(0);
  result_.fill(0);
  silent_.fill(true);
  up_skipped_ = skipped_ = down_skipped_ = 0;
  taken_ = given_ = 0;
}

void Denoiser::Process(std::span<const int16_t> in, std::vector<int16_t>& out) {
  taken_ += in.size();
  floats_.resize(in.size());
  dsp::ToFloat(in, floats_);
  Take(floats_, out);
}

void Denoiser::Flush(std::vector<int16_t>& out) {
  const std::vector<float> silence(kHop, 0.0F);
  while (given_ < taken_) Take(silence, out);
  Begin();
}

void Denoiser::Take(std::span<const float> samples, std::vector<int16_t>& out) {
  if (up_) {
    Resample(*up_, samples, upsampled_);
    samples = WithoutRise(upsampled_, up_->delay_samples(), up_skipped_);
  }
  waiting_.insert(waiting_.end(), samples.begin(), samples.end());
  size_t done = 0;
  for (; done + kHop <= waiting_.size(); done += kHop) Hop(std::span(waiting_).subspan(done, kHop), out);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(done));
}

void Denoiser::Hop(std::span<const float> hop, std::vector<int16_t>& out) {
  std::copy(window_.begin() + kHop, window_.end(), window_.begin());
  std::copy(hop.begin(), hop.end(), window_.end() - kHop);
  std::copy(silent_.begin() + 1, silent_.end(), silent_.begin());
  silent_.back() = IsSilent(hop);
  std::copy(result_.begin() + kHop, result_.end(), result_.begin());
  std::fill(result_.end() - kHop, result_.end(), 0.0F);
  if (!std::all_of(silent_.begin(), silent_.end(), [](bool silent) { return silent; })) {
    Dtln::Window share = window_;
    if (!model_->Clean(share, memory_, fft_).ok()) {
      // Each of the windows over a sample passes its part of it.
      for (float& sample : share) sample /= static_cast<float>(silent_.size());
    }
    for (size_t i = 0; i < share.size(); ++i) result_[i] += share[i];
  }
  if (silent_.front()) std::fill_n(result_.begin(), kHop, 0.0F);
  // The first windows begin before the audio.
  Give(WithoutRise(std::span<const float>(result_).first(kHop), Dtln::kWindow - kHop, skipped_), out);
}

void Denoiser::Give(std::span<const float> samples, std::vector<int16_t>& out) {
  if (samples.empty()) return;
  if (down_) {
    Resample(*down_, samples, floats_);
    samples = WithoutRise(floats_, down_->delay_samples(), down_skipped_);
  }
  samples = samples.first(static_cast<size_t>(std::min<uint64_t>(samples.size(), taken_ - given_)));
  pcm_.resize(samples.size());
  dsp::ToInt16(samples, pcm_);
  out.insert(out.end(), pcm_.begin(), pcm_.end());
  given_ += samples.size();
}

}  // namespace trunkline::enhance
