// RTP packets (RFC 3550), read in place and written into the caller's memory. Realtime.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace trunkline::rtp {

inline constexpr size_t kRtpHeader = 12;
// The largest packet that is sent or received: below every path's MTU, with space for SRTP.
inline constexpr size_t kMaxPacket = 1500;

struct Header {
  uint8_t payload_type = 0;
  bool marker = false;
  uint16_t sequence = 0;
  uint32_t timestamp = 0;
  uint32_t ssrc = 0;
};

struct Packet {
  Header header;
  base::ByteView payload;
};

// Returns nothing unless the bytes are an RTP packet of version 2 with consistent lengths.
std::optional<Packet> ReadRtp(base::ByteView bytes);

// Returns the bytes written; 0 when `out` is too small.
size_t WriteRtp(const Header& header, base::ByteView payload, base::MutableBytes out);

// Distinguishes packets that share a port with RTP (RFC 5761).
bool LooksLikeRtcp(base::ByteView bytes);

}  // namespace trunkline::rtp
