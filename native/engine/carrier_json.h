// Extracts audio from a carrier's JSON message in the socket's buffer, without a parse tree, a string or an
// allocation.
//
// {"event":"media","sequenceNumber":"3","media":{"track":"inbound","chunk":"1","timestamp":"5","payload":"…"},…}
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/status.h"

namespace trunkline::engine {

// The most audio in one message: two seconds of G.711.
inline constexpr size_t kMaxCarrierAudio = 16 * 1024;

struct CarrierMedia {
  size_t size = 0;  // bytes decoded
  // Milliseconds from the stream's start to the first sample, where the message has them.
  std::optional<int64_t> timestamp_ms;
};

// Decodes the payload of a `media` message into `audio`.
//   kOk          `media` describes what was decoded
//   kNotMedia    another event, for JSON.parse, or media of the other side (track "outbound")
//   kBadMessage  invalid JSON, or a payload that is not base64 or longer than kMaxCarrierAudio
base::Code DecodeCarrierMedia(base::ByteView message, base::MutableBytes audio, CarrierMedia& media);

}  // namespace trunkline::engine
