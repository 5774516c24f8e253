// Conversion between the wire's 16-bit integers and the engine's floats (full scale 1). Realtime.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::dsp {

// Reads bytes of the wire at any address; an odd byte at the end is ignored. Allocates only when `out` has to
// grow.
void FromWire(std::span<const uint8_t> bytes, std::vector<int16_t>& out);

// `out` has at least as many elements as `in`.
void ToFloat(std::span<const int16_t> in, std::span<float> out);

// Rounds to the nearest integer, ties to even; saturates. NaN becomes the last valid sample before it in
// `in`, or 0.
void ToInt16(std::span<const float> in, std::span<int16_t> out);

// Copies `in`; NaN and values beyond 1e9 become the last valid sample. `held` carries that sample from call
// to call (start with 0). `in` and `out` may be the same.
void Contain(std::span<const float> in, std::span<float> out, float& held);

}  // namespace trunkline::dsp
