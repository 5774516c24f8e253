// RTP packets (RFC 3550): read where they lie, written into memory of the caller. Realtime.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace trunkline::rtp {

inline constexpr size_t kRtpHeader = 12;
// What is sent or taken in one piece: below every path's limit, with room for what SRTP adds.
inline constexpr size_t kMostPacket = 1500;

struct Header {
  uint8_t payload_type = 0;
  bool marker = false;
  uint16_t sequence = 0;
  uint32_t timestamp = 0;
  uint32_t ssrc = 0;
};

struct Packet {
  Header header;
  base::ByteView payload;  // of the bytes that were read
};

// Nothing where these bytes are no RTP packet of version 2 whose lengths add up.
std::optional<Packet> ReadRtp(base::ByteView bytes);

// The bytes written; 0 where `out` has no room.
size_t WriteRtp(const Header& header, base::ByteView payload, base::MutableBytes out);

// Of packets that share a port with RTP (RFC 5761).
bool LooksLikeRtcp(base::ByteView bytes);

}  // namespace trunkline::rtp
