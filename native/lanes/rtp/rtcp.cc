#include "lanes/rtp/rtcp.h"

#include <algorithm>
#include <cstring>

#include "lanes/rtp/network_order.h"

namespace trunkline::rtp {
namespace {

enum Type : uint8_t { kSenderReport = 200, kReceiverReport = 201, kDescription = 202, kBye = 203 };
constexpr size_t kHead = 4, kSsrc = 4, kSenderBytes = 20, kReceptionBytes = 24;

SenderInfo ReadSender(const uint8_t* at) {
  return {.ntp = static_cast<uint64_t>(Read32(at)) << 32 | Read32(at + 4),
          .timestamp = Read32(at + 8),
          .packets = Read32(at + 12),
          .bytes = Read32(at + 16)};
}

Reception ReadReception(const uint8_t* at) {
  // A signed number of 24 bits.
  const int32_t lost = static_cast<int32_t>(Read32(at + 4) << 8) >> 8;
  return {.ssrc = Read32(at),
          .fraction_lost = at[4],
          .lost = lost,
          .highest = Read32(at + 8),
          .jitter = Read32(at + 12),
          .last_report = Read32(at + 16),
          .since_report = Read32(at + 20)};
}

void ReadReport(base::ByteView part, uint32_t own, Report& report) {
  const bool sender = part[1] == kSenderReport;
  const size_t fixed = kHead + kSsrc + (sender ? kSenderBytes : 0);
  if (part.size() < fixed) return;
  report.ssrc = Read32(part.data() + kHead);
  if (sender) report.sender = ReadSender(part.data() + kHead + kSsrc);
  const size_t count = part[0] & 0x1f;
  for (size_t i = 0; i < count && fixed + (i + 1) * kReceptionBytes <= part.size(); ++i) {
    const Reception reception = ReadReception(part.data() + fixed + i * kReceptionBytes);
    if (reception.ssrc == own) report.reception = reception;
  }
}

void WriteHead(uint8_t* at, size_t count, Type type, size_t bytes) {
  at[0] = static_cast<uint8_t>(0x80 | count);
  at[1] = type;
  Write16(at + 2, static_cast<uint16_t>(bytes / 4 - 1));
}

size_t WriteReport(const Report& report, uint8_t* at) {
  size_t used = kHead + kSsrc;
  Write32(at + kHead, report.ssrc);
  if (report.sender) {
    Write32(at + used, static_cast<uint32_t>(report.sender->ntp >> 32));
    Write32(at + used + 4, static_cast<uint32_t>(report.sender->ntp));
    Write32(at + used + 8, report.sender->timestamp);
    Write32(at + used + 12, report.sender->packets);
    Write32(at + used + 16, report.sender->bytes);
    used += kSenderBytes;
  }
  if (report.reception) {
    const Reception& reception = *report.reception;
    Write32(at + used, reception.ssrc);
    Write32(at + used + 4, static_cast<uint32_t>(reception.lost) & 0xffffff);
    at[used + 4] = reception.fraction_lost;
    Write32(at + used + 8, reception.highest);
    Write32(at + used + 12, reception.jitter);
    Write32(at + used + 16, reception.last_report);
    Write32(at + used + 20, reception.since_report);
    used += kReceptionBytes;
  }
  WriteHead(at, report.reception ? 1 : 0, report.sender ? kSenderReport : kReceiverReport, used);
  return used;
}

size_t WriteName(uint32_t ssrc, std::string_view name, uint8_t* at) {
  constexpr uint8_t kCname = 1;
  const size_t used = base::AlignUp(kHead + kSsrc + 2 + name.size() + 1, 4);
  std::memset(at, 0, used);
  WriteHead(at, 1, kDescription, used);
  Write32(at + kHead, ssrc);
  at[kHead + kSsrc] = kCname;
  at[kHead + kSsrc + 1] = static_cast<uint8_t>(name.size());
  std::memcpy(at + kHead + kSsrc + 2, name.data(), name.size());
  return used;
}

}  // namespace

std::optional<Report> ReadRtcp(base::ByteView bytes, uint32_t own) {
  Report report;
  if (bytes.size() < kHead + kSsrc) return std::nullopt;
  while (!bytes.empty()) {
    if (bytes.size() < kHead || bytes[0] >> 6 != 2) return std::nullopt;
    const size_t size = 4 * (static_cast<size_t>(Read16(bytes.data() + 2)) + 1);
    if (size > bytes.size()) return std::nullopt;
    const base::ByteView part = bytes.first(size);
    if (part[1] == kSenderReport || part[1] == kReceiverReport) ReadReport(part, own, report);
    if (part[1] == kBye) report.bye = true;
    bytes = bytes.subspan(size);
  }
  return report;
}

size_t WriteRtcp(const Report& report, std::string_view name, base::MutableBytes out) {
  name = name.substr(0, 255);
  const size_t most = kHead + kSsrc + kSenderBytes + kReceptionBytes + kHead + kSsrc + name.size() + 7 + 8;
  if (out.size() < most) return 0;
  size_t used = WriteReport(report, out.data());
  used += WriteName(report.ssrc, name, out.data() + used);
  if (report.bye) {
    WriteHead(out.data() + used, 1, kBye, kHead + kSsrc);
    Write32(out.data() + used + kHead, report.ssrc);
    used += kHead + kSsrc;
  }
  return used;
}

}  // namespace trunkline::rtp
