#include "tts/encoder.h"

#include <algorithm>
#include <cmath>

#include "dsp/dsp.h"

namespace trunkline::tts {

bool ParseWireFormat(std::string_view name, WireFormat& format) {
  if (name == "pcm16") {
    format = WireFormat::kPcm16;
  } else if (name == "ulaw") {
    format = WireFormat::kUlaw;
  } else if (name == "alaw") {
    format = WireFormat::kAlaw;
  } else {
    return false;
  }
  return true;
}

std::unique_ptr<WireEncoder> WireEncoder::Create(int input_rate, int output_rate, WireFormat format) {
  std::optional<dsp::Resampler> resampler;
  if (input_rate != output_rate) {
    resampler = dsp::Resampler::Create(input_rate, output_rate, dsp::Grade::kSpeech);
    if (!resampler) return nullptr;
  }
  return std::unique_ptr<WireEncoder>(new WireEncoder(std::move(resampler), format));
}

WireEncoder::WireEncoder(std::optional<dsp::Resampler> resampler, WireFormat format)
    : resampler_(std::move(resampler)),
      format_(format),
      skip_(resampler_ ? resampler_->delay_samples() : 0) {}

void WireEncoder::Add(std::span<const float> samples, std::vector<uint8_t>& out) {
  taken_ += samples.size();
  if (!resampler_) {
    Write(samples, out);
    return;
  }
  resampled_.resize(resampler_->OutputSize(samples.size()));
  const auto progress = resampler_->Process(samples, std::span(resampled_));
  // The filter's rise is silence before the first sample and is skipped.
  const size_t skipped = std::min(skip_, progress.produced);
  skip_ -= skipped;
  Write(std::span(resampled_).subspan(skipped, progress.produced - skipped), out);
}

void WireEncoder::Finish(std::vector<uint8_t>& out) {
  if (!resampler_ || taken_ == 0) return;
  const double ratio = static_cast<double>(resampler_->output_rate()) / resampler_->input_rate();
  const auto whole = static_cast<size_t>(std::llround(static_cast<double>(taken_) * ratio));
  const std::vector<float> silence(
      static_cast<size_t>(resampler_->delay_seconds() * resampler_->input_rate()) + 64, 0.0F);
  while (written_ < whole) {
    resampled_.resize(resampler_->OutputSize(silence.size()));
    const auto progress = resampler_->Process(std::span<const float>(silence), std::span(resampled_));
    const size_t skipped = std::min(skip_, progress.produced);
    skip_ -= skipped;
    Write(std::span(resampled_).subspan(skipped, std::min(progress.produced - skipped, whole - written_)),
          out);
    if (progress.produced == 0) break;
  }
}

void WireEncoder::Write(std::span<const float> samples, std::vector<uint8_t>& out) {
  integers_.resize(samples.size());
  contained_.resize(samples.size());
  dsp::Contain(samples, contained_, held_);
  dsp::ToInt16(contained_, integers_);
  const size_t at = out.size();
  if (format_ == WireFormat::kPcm16) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(integers_.data());
    out.insert(out.end(), bytes, bytes + integers_.size() * sizeof(int16_t));
  } else {
    out.resize(at + integers_.size());
    const auto target = std::span(out).subspan(at);
    if (format_ == WireFormat::kUlaw) {
      dsp::EncodeUlaw(integers_, target);
    } else {
      dsp::EncodeAlaw(integers_, target);
    }
  }
  written_ += samples.size();
}

}  // namespace trunkline::tts
