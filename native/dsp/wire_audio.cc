#include "dsp/wire_audio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "dsp/clipping.h"
#include "dsp/convert.h"
#include "dsp/g711.h"
#include "dsp/resampler.h"

namespace trunkline::dsp {
namespace {

using base::ByteView;
using base::MutableBytes;

constexpr size_t kBlock = 512;
using Block = std::array<int16_t, kBlock>;

size_t BytesOfSample(WireFormat format) {
  return format == WireFormat::kPcm16 ? 2 : 1;
}

void Decode(WireFormat format, ByteView in, std::span<int16_t> out) {
  if (in.empty()) return;
  if (format == WireFormat::kUlaw) return DecodeUlaw(in, out);
  if (format == WireFormat::kAlaw) return DecodeAlaw(in, out);
  std::memcpy(out.data(), in.data(), in.size());
}

void Encode(WireFormat format, std::span<const int16_t> in, MutableBytes out) {
  if (in.empty()) return;
  if (format == WireFormat::kUlaw) return EncodeUlaw(in, out);
  if (format == WireFormat::kAlaw) return EncodeAlaw(in, out);
  std::memcpy(out.data(), in.data(), in.size_bytes());
}

// Calls `use(first sample, samples)` for each block of `count` samples.
template <typename Use>
void InBlocks(size_t count, Use use) {
  for (size_t at = 0; at < count; at += kBlock) use(at, std::min(kBlock, count - at));
}

int16_t Saturated(double sample) {
  return static_cast<int16_t>(std::lrint(std::clamp(sample, -32768.0, 32767.0)));
}

}  // namespace

size_t ConvertWire(WireFormat from, ByteView in, WireFormat to, MutableBytes out) {
  const size_t count = std::min(in.size() / BytesOfSample(from), out.size() / BytesOfSample(to));
  Block block;
  InBlocks(count, [&](size_t at, size_t size) {
    const std::span<int16_t> samples = std::span(block).first(size);
    Decode(from, in.subspan(at * BytesOfSample(from), size * BytesOfSample(from)), samples);
    Encode(to, samples, out.subspan(at * BytesOfSample(to), size * BytesOfSample(to)));
  });
  return count;
}

void MixWire(WireFormat format, std::span<const ByteView> voices, MutableBytes out) {
  const size_t bytes = BytesOfSample(format);
  std::array<int32_t, kBlock> sum;
  Block block;
  InBlocks(out.size() / bytes, [&](size_t at, size_t size) {
    std::fill_n(sum.begin(), size, 0);
    for (const ByteView voice : voices) {
      const size_t samples = voice.size() / bytes;
      if (samples <= at) continue;
      const size_t part = std::min(size, samples - at);
      Decode(format, voice.subspan(at * bytes, part * bytes), block);
      for (size_t i = 0; i < part; ++i) sum[i] += block[i];
    }
    for (size_t i = 0; i < size; ++i) block[i] = static_cast<int16_t>(std::clamp(sum[i], -32768, 32767));
    Encode(format, std::span(block).first(size), out.subspan(at * bytes, size * bytes));
  });
}

WireMeasure MeasureWire(WireFormat format, ByteView in, int peak) {
  const size_t bytes = BytesOfSample(format);
  WireMeasure measure{.samples = in.size() / bytes};
  measure.quiet_before = measure.quiet_after = measure.samples;
  Block block;
  InBlocks(measure.samples, [&](size_t at, size_t size) {
    const std::span<int16_t> samples = std::span(block).first(size);
    Decode(format, in.subspan(at * bytes, size * bytes), samples);
    measure.clipped += ClippedIn(samples);
    int64_t energy = 0;
    for (size_t i = 0; i < size; ++i) {
      const int sample = samples[i];
      energy += int64_t{sample} * sample;
      if (std::abs(sample) <= peak) continue;
      measure.quiet_before = std::min(measure.quiet_before, at + i);
      measure.quiet_after = measure.samples - at - i - 1;
    }
    measure.energy += static_cast<double>(energy) / (32768.0 * 32768.0);
  });
  return measure;
}

void AddWire(WireTarget out, double keep, WireSource in, double gain) {
  const size_t count = std::min(out.samples(), in.samples());
  for (size_t i = 0; i < count; ++i) {
    const double sum = keep * base::Load<int16_t>(out.at(i)) + gain * base::Load<int16_t>(in.at(i));
    base::Store(out.at(i), Saturated(sum));
  }
}

void AddTone(WireTarget out, double keep, const ToneShape& tone) {
  for (size_t i = 0; i < out.samples(); ++i) {
    const auto at = static_cast<double>(i);
    const double wave = std::sin(2 * std::numbers::pi * tone.cycles * (tone.phase + at));
    const double envelope = tone.level * std::exp(-tone.decay * at);
    base::Store(out.at(i), Saturated(keep * base::Load<int16_t>(out.at(i)) + envelope * wave));
  }
}

void DownmixWire(ByteView in, size_t channels, MutableBytes out) {
  if (channels == 0) return;
  const size_t count = std::min(in.size() / 2 / channels, out.size() / 2);
  for (size_t i = 0; i < count; ++i) {
    int32_t sum = 0;
    for (size_t channel = 0; channel < channels; ++channel)
      sum += base::Load<int16_t>(in.data() + 2 * (i * channels + channel));
    base::Store(out.data() + 2 * i, Saturated(static_cast<double>(sum) / static_cast<double>(channels)));
  }
}

void WireToFloat(WireSource in, std::span<float> out) {
  const size_t count = std::min(in.samples(), out.size());
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(base::Load<int16_t>(in.at(i))) / 32768;
}

size_t ResampleWire(ByteView in, int input_rate, int output_rate, MutableBytes out) {
  std::vector<float> samples(in.size() / 2);
  WireToFloat({in}, samples);
  const std::vector<float> resampled = ResampleWhole(samples, input_rate, output_rate, Grade::kStrict);
  const size_t count = std::min(resampled.size(), out.size() / 2);
  Block block;
  InBlocks(count, [&](size_t at, size_t size) {
    ToInt16(std::span(resampled).subspan(at, size), block);
    Encode(WireFormat::kPcm16, std::span(block).first(size), out.subspan(2 * at, 2 * size));
  });
  return count;
}

}  // namespace trunkline::dsp
