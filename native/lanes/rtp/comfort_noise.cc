#include "lanes/rtp/comfort_noise.h"

#include <algorithm>
#include <cmath>

namespace trunkline::rtp {

void ComfortNoise::Take(base::ByteView payload) {
  if (!payload.empty()) SetLevel(-static_cast<float>(payload[0] & 0x7f));
}

void ComfortNoise::SetLevel(float dbfs) {
  known_ = true;
  // Uniform noise of amplitude a has a power of a * a / 3; the smoothing below halves that.
  amplitude_ = 32768.0f * std::pow(10.0f, std::min(dbfs, -20.0f) / 20) * std::sqrt(6.0f);
}

void ComfortNoise::Fill(std::span<int16_t> out) {
  for (int16_t& sample : out) {
    seed_ ^= seed_ << 13;
    seed_ ^= seed_ >> 17;
    seed_ ^= seed_ << 5;
    const float white = static_cast<float>(static_cast<int32_t>(seed_)) * (1.0f / 2147483648.0f);
    const float previous = smooth_;
    smooth_ = white;
    sample = static_cast<int16_t>(
        std::clamp(std::lrintf((white + previous) * 0.5f * amplitude_), -32768L, 32767L));
  }
}

uint8_t ComfortNoise::LevelByte(float dbfs) {
  return static_cast<uint8_t>(std::clamp(-dbfs, 0.0f, 127.0f));
}

}  // namespace trunkline::rtp
