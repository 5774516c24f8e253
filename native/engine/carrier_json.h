// Audio out of a carrier's JSON message, straight from the socket's buffer: no parse tree, no string, no
// allocation.
//
//   {"event":"media","sequenceNumber":"3","media":{"track":"inbound","chunk":"1","timestamp":"5","payload":"…"},…}
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/status.h"

namespace trunkline::engine {

// The most audio that one message may hold: two seconds of G.711.
inline constexpr size_t kMaxCarrierAudio = 16 * 1024;

struct CarrierMedia {
  size_t size = 0;  // bytes decoded
  // Milliseconds from the stream's start to the first sample, where the message says so.
  std::optional<int64_t> timestamp_ms;
};

// Decodes the payload of a `media` message into `audio`.
//   kOk          `media` tells of what was decoded
//   kNotMedia    another event, or media of the other side (track "outbound"): for JSON.parse, or for nobody
//   kBadMessage  not such a JSON text, or its payload is not base64, or longer than kMaxCarrierAudio
base::Code DecodeCarrierMedia(base::ByteView message, base::MutableBytes audio, CarrierMedia& media);

}  // namespace trunkline::engine
