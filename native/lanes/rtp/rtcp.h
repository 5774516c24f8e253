// RTCP (RFC 3550): reports between both ends. Realtime.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace trunkline::rtp {

// The reception of one end's stream at the other.
struct Reception {
  uint32_t ssrc = 0;
  uint8_t fraction_lost = 0;  // in 256ths, since the report before
  int32_t lost = 0;
  uint32_t highest = 0;       // sequence number, extended
  uint32_t jitter = 0;        // units of the stream's clock
  uint32_t last_report = 0;   // the middle of the NTP time of the other's last report; 0: there was none
  uint32_t since_report = 0;  // 65536ths of a second
};

struct SenderInfo {
  uint64_t ntp = 0;
  uint32_t timestamp = 0;
  uint32_t packets = 0;
  uint32_t bytes = 0;
};

struct Report {
  uint32_t ssrc = 0;
  std::optional<SenderInfo> sender;
  std::optional<Reception> reception;
  bool bye = false;
};

// The middle 32 bits, by which reports refer to each other.
constexpr uint32_t MiddleOf(uint64_t ntp) {
  return static_cast<uint32_t>(ntp >> 16);
}

// Reads a compound packet's reports about the stream `own`. Returns nothing when lengths are inconsistent.
std::optional<Report> ReadRtcp(base::ByteView bytes, uint32_t own);

// Writes a sender or receiver report with the canonical name that RFC 3550 requires, and BYE at the end.
// Returns the bytes written; 0 when `out` is too small.
size_t WriteRtcp(const Report& report, std::string_view name, base::MutableBytes out);

}  // namespace trunkline::rtp
