#pragma once

#include <memory>

#include "lanes/rtp/codec.h"

namespace trunkline::rtp {

// PCMU or PCMA.
std::unique_ptr<Decoder> MakeG711Decoder(CodecName name);
std::unique_ptr<Encoder> MakeG711Encoder(CodecName name);

}  // namespace trunkline::rtp
