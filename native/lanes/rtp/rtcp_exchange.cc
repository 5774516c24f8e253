#include "lanes/rtp/rtcp_exchange.h"

#include <algorithm>

namespace trunkline::rtp {
namespace {

// From NTP's epoch, 1900, to 1970.
constexpr double kNtpOffsetMs = 2'208'988'800.0 * 1000;
constexpr double kFirstMs = 1500, kEveryMs = 5000;

}  // namespace

void RtcpExchange::Begin(double now_ms) {
  wall_offset_ms_ += kNtpOffsetMs - now_ms;
  due_ms_ = now_ms + kFirstMs;
}

uint64_t RtcpExchange::NtpAt(double now_ms) const {
  const double seconds = (wall_offset_ms_ + now_ms) / 1000;
  const auto whole = static_cast<uint64_t>(seconds);
  return whole << 32 | static_cast<uint64_t>((seconds - static_cast<double>(whole)) * 4294967296.0);
}

bool RtcpExchange::Take(base::ByteView packet, uint32_t own, int clock, double now_ms) {
  const auto report = ReadRtcp(packet, own);
  if (!report) return false;
  ++remote_.reports;
  remote_.bye = report->bye;
  if (report->sender) {
    last_report_ = MiddleOf(report->sender->ntp);
    last_report_ms_ = now_ms;
  }
  if (!report->reception) return true;
  const Reception& reception = *report->reception;
  remote_.loss = reception.fraction_lost / 256.0;
  remote_.lost = reception.lost;
  remote_.jitter_ms = 1000.0 * reception.jitter / clock;
  if (reception.last_report != 0) {
    const uint32_t way = MiddleOf(NtpAt(now_ms)) - reception.last_report - reception.since_report;
    const double round_trip = 1000.0 * static_cast<int32_t>(way) / 65536;
    if (round_trip >= -1 && round_trip < 30'000) remote_.round_trip_ms = std::max(0.0, round_trip);
  }
  return true;
}

size_t RtcpExchange::Write(const Sender& sender, ReceptionStats& reception, std::optional<uint32_t> other,
                           bool bye, double now_ms, base::MutableBytes out) {
  // Spreads the reports of calls that began together.
  due_ms_ = now_ms + kEveryMs * (0.75 + 0.5 * ((sender.ssrc() + 2654435761u * ++rounds_) % 1000) / 1000.0);
  Report report{.ssrc = sender.ssrc(), .sender = {}, .reception = {}, .bye = bye};
  if (sender.packets() > 0) {
    report.sender = {.ntp = NtpAt(now_ms),
                     .timestamp = sender.timestamp(),
                     .packets = sender.packets(),
                     .bytes = sender.bytes()};
  }
  if (other && reception.begun()) {
    report.reception = reception.TakeReception(*other);
    report.reception->last_report = last_report_;
    if (last_report_ != 0) {
      report.reception->since_report = static_cast<uint32_t>((now_ms - last_report_ms_) * 65.536);
    }
  }
  return WriteRtcp(report, name_, out);
}

}  // namespace trunkline::rtp
