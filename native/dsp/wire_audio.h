// Works on audio as it lies on a wire or in a file: bytes of G.711, or 16-bit little-endian samples at any
// address. An odd byte at the end is ignored. Realtime but for ResampleWire; any split of the input gives the
// same samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace trunkline::dsp {

enum class WireFormat : uint32_t { kPcm16, kUlaw, kAlaw };

// Converts as many samples as `in` has and `out` holds, and returns their number. The two do not overlap.
size_t ConvertWire(WireFormat from, base::ByteView in, WireFormat to, base::MutableBytes out);

// Fills `out` with the saturated sum of the voices. A voice that is shorter than `out` is silent after its end.
void MixWire(WireFormat format, std::span<const base::ByteView> voices, base::MutableBytes out);

struct WireMeasure {
  size_t samples = 0;
  double energy = 0;  // the sum of squares; full scale is 1
  size_t clipped = 0;
  // Samples before the first and after the last that is louder than the given peak: all of them, where none is.
  size_t quiet_before = 0, quiet_after = 0;
};
WireMeasure MeasureWire(WireFormat format, base::ByteView in, int peak);

// Every `stride`th sample of 16-bit audio, from the first: one channel of interleaved audio. A stride of 0 has none.
template <typename Bytes>
struct WireChannel {
  Bytes bytes;
  size_t stride = 1;

  size_t samples() const { return stride == 0 || bytes.size() < 2 ? 0 : (bytes.size() / 2 - 1) / stride + 1; }
  auto* at(size_t sample) const { return bytes.data() + 2 * sample * stride; }
};
using WireSource = WireChannel<base::ByteView>;
using WireTarget = WireChannel<base::MutableBytes>;

// Makes each sample of `out` the rounded and saturated sum of itself times `keep` and of that of `in` times `gain`.
void AddWire(WireTarget out, double keep, WireSource in, double gain);

// `cycles` and `decay` are counted per sample: the envelope begins at `level` (full scale is 32,768) and falls by
// e^-decay with each sample. `phase` counts the samples since the tone's zero crossing.
struct ToneShape {
  double cycles = 0, level = 0, decay = 0, phase = 0;
};
void AddTone(WireTarget out, double keep, const ToneShape& tone);

// Averages the interleaved channels of 16-bit audio into one.
void DownmixWire(base::ByteView in, size_t channels, base::MutableBytes out);

// Writes floats of full scale 1.
void WireToFloat(WireSource in, std::span<float> out);

// Converts a whole recording of 16-bit audio, aligned with the input, and returns the samples written; 0 for rates
// that Resampler::Create refuses. Not realtime.
size_t ResampleWire(base::ByteView in, int input_rate, int output_rate, base::MutableBytes out);

}  // namespace trunkline::dsp
