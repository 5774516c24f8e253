#include "lanes/rtp/packet.h"

#include <cstring>

#include "lanes/rtp/network_order.h"

namespace trunkline::rtp {
namespace {

constexpr uint8_t kVersion = 2;

// Returns the payload without padding, or nothing when the padding is longer than the payload.
std::optional<base::ByteView> Unpadded(base::ByteView payload, bool padded) {
  if (!padded) return payload;
  if (payload.empty()) return std::nullopt;
  const size_t padding = payload.back();
  if (padding == 0 || padding > payload.size()) return std::nullopt;
  return payload.first(payload.size() - padding);
}

}  // namespace

std::optional<Packet> ReadRtp(base::ByteView bytes) {
  if (bytes.size() < kRtpHeader || bytes[0] >> 6 != kVersion) return std::nullopt;
  size_t at = kRtpHeader + 4 * static_cast<size_t>(bytes[0] & 0x0f);
  if ((bytes[0] & 0x10) != 0) {
    if (bytes.size() < at + 4) return std::nullopt;
    at += 4 + 4 * static_cast<size_t>(Read16(bytes.data() + at + 2));
  }
  if (bytes.size() < at) return std::nullopt;
  const auto payload = Unpadded(bytes.subspan(at), (bytes[0] & 0x20) != 0);
  if (!payload) return std::nullopt;
  return Packet{.header = {.payload_type = static_cast<uint8_t>(bytes[1] & 0x7f),
                           .marker = (bytes[1] & 0x80) != 0,
                           .sequence = Read16(bytes.data() + 2),
                           .timestamp = Read32(bytes.data() + 4),
                           .ssrc = Read32(bytes.data() + 8)},
                .payload = *payload};
}

size_t WriteRtp(const Header& header, base::ByteView payload, base::MutableBytes out) {
  if (out.size() < kRtpHeader + payload.size()) return 0;
  out[0] = kVersion << 6;
  out[1] = static_cast<uint8_t>((header.marker ? 0x80 : 0) | (header.payload_type & 0x7f));
  Write16(out.data() + 2, header.sequence);
  Write32(out.data() + 4, header.timestamp);
  Write32(out.data() + 8, header.ssrc);
  if (!payload.empty()) std::memcpy(out.data() + kRtpHeader, payload.data(), payload.size());
  return kRtpHeader + payload.size();
}

bool LooksLikeRtcp(base::ByteView bytes) {
  return bytes.size() >= 8 && bytes[0] >> 6 == kVersion && bytes[1] >= 192 && bytes[1] <= 223;
}

}  // namespace trunkline::rtp
