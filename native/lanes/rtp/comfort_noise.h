// Comfort noise (RFC 3389). Realtime.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace trunkline::rtp {

class ComfortNoise {
 public:
  // Takes a packet; its first byte is the level, in dB below overload.
  void Take(base::ByteView payload);
  void SetLevel(float dbfs);
  bool known() const { return known_; }
  void Fill(std::span<int16_t> out);

  // The payload for silence at this level: one byte.
  static uint8_t LevelByte(float dbfs);

 private:
  float amplitude_ = 0;
  bool known_ = false;
  uint32_t seed_ = 0x2545f491;
  float smooth_ = 0;
};

}  // namespace trunkline::rtp
