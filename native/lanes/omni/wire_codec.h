// Encodes a call's samples for the wire. Media thread; allocates only for a frame longer than any before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "dsp/dsp.h"

namespace trunkline::omni {

enum class WireCodec : uint8_t { kPcm16, kUlaw };

inline size_t BytesASample(WireCodec codec) {
  return codec == WireCodec::kUlaw ? 1 : sizeof(int16_t);
}

inline void FromWire(WireCodec codec, base::ByteView bytes, std::vector<int16_t>& samples) {
  if (codec == WireCodec::kPcm16) return dsp::FromWire(bytes, samples);
  samples.resize(bytes.size());
  dsp::DecodeUlaw(bytes, samples);
}

// Valid until `room` is used again.
inline base::ByteView ToWire(WireCodec codec, std::span<const int16_t> samples, std::vector<uint8_t>& room) {
  if (codec == WireCodec::kPcm16) return base::AsBytes(samples);
  room.resize(samples.size());
  dsp::EncodeUlaw(samples, room);
  return room;
}

}  // namespace trunkline::omni
