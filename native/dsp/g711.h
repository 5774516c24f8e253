// G.711 companding. Realtime: no lock, no allocation; any split of the input gives the same output.
//
// Encoding follows the ITU-T software tool library (G.191): a negative sample's magnitude is its ones'
// complement, so that both signs are cut into equally wide steps. (Some libraries negate instead; the codes
// differ only for negative samples that lie exactly between two steps, where both codes are equally far
// away.)
#pragma once

#include <cstdint>
#include <span>

namespace trunkline::dsp {

// `out` has at least as many elements as `in` and does not overlap it.
void DecodeUlaw(std::span<const uint8_t> in, std::span<int16_t> out);
void DecodeAlaw(std::span<const uint8_t> in, std::span<int16_t> out);
void EncodeUlaw(std::span<const int16_t> in, std::span<uint8_t> out);
void EncodeAlaw(std::span<const int16_t> in, std::span<uint8_t> out);

}  // namespace trunkline::dsp
