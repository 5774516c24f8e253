// Exchanges RTCP reports every few seconds. Media thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "lanes/rtp/reception_stats.h"
#include "lanes/rtp/rtcp.h"
#include "lanes/rtp/sender.h"

namespace trunkline::rtp {

// The other end's report about our stream.
struct Remote {
  double loss = 0;  // 0 to 1, of its last report
  int64_t lost = 0;
  double jitter_ms = 0;
  std::optional<double> round_trip_ms;
  uint64_t reports = 0;
  bool bye = false;
};

class RtcpExchange {
 public:
  // `wall_ms`: milliseconds since 1970.
  RtcpExchange(std::string name, double wall_ms) : name_(std::move(name)), wall_offset_ms_(wall_ms) {}
  // Ties the wall time to the monotonic clock; later steps of the wall clock have no effect.
  void Begin(double now_ms);

  // Takes a packet; `clock` is that of our stream's timestamps. Returns false when it is not a report.
  bool Take(base::ByteView packet, uint32_t own, int clock, double now_ms);
  bool Due(double now_ms) const { return now_ms >= due_ms_; }
  // Returns the size of our report.
  size_t Write(const Sender& sender, ReceptionStats& reception, std::optional<uint32_t> other, bool bye,
               double now_ms, base::MutableBytes out);

  const Remote& remote() const { return remote_; }

 private:
  uint64_t NtpAt(double now_ms) const;

  const std::string name_;
  double wall_offset_ms_;
  double due_ms_ = 0;
  uint32_t rounds_ = 0;
  Remote remote_;
  uint32_t last_report_ = 0;
  double last_report_ms_ = 0;
};

}  // namespace trunkline::rtp
