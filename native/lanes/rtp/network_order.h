// Numbers in network byte order.
#pragma once

#include <cstdint>

namespace trunkline::rtp {

inline uint16_t Read16(const uint8_t* at) {
  return static_cast<uint16_t>(at[0] << 8 | at[1]);
}
inline uint32_t Read32(const uint8_t* at) {
  return static_cast<uint32_t>(Read16(at)) << 16 | Read16(at + 2);
}
inline void Write16(uint8_t* at, uint16_t value) {
  at[0] = static_cast<uint8_t>(value >> 8);
  at[1] = static_cast<uint8_t>(value);
}
inline void Write32(uint8_t* at, uint32_t value) {
  Write16(at, static_cast<uint16_t>(value >> 16));
  Write16(at + 2, static_cast<uint16_t>(value));
}

}  // namespace trunkline::rtp
