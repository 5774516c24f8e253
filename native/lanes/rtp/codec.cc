#include "lanes/rtp/codec.h"

#include "lanes/rtp/g711_codec.h"
#include "lanes/rtp/opus_codec.h"

namespace trunkline::rtp {

std::unique_ptr<Decoder> MakeDecoder(CodecName name, int rate) {
  return name == CodecName::kOpus ? MakeOpusDecoder(rate) : MakeG711Decoder(name);
}

std::unique_ptr<Encoder> MakeEncoder(CodecName name, int rate, EncoderOptions options) {
  return name == CodecName::kOpus ? MakeOpusEncoder(rate, options) : MakeG711Encoder(name);
}

}  // namespace trunkline::rtp
