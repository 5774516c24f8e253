#pragma once

#include <memory>

#include "lanes/rtp/codec.h"

namespace trunkline::rtp {

// Returns null when this build has no libopus.
std::unique_ptr<Decoder> MakeOpusDecoder(int rate);
std::unique_ptr<Encoder> MakeOpusEncoder(int rate, EncoderOptions options);

}  // namespace trunkline::rtp
