// The reports that both ends send each other every few seconds, and what they tell. Media thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "lanes/rtp/reception_stats.h"
#include "lanes/rtp/rtcp.h"
#include "lanes/rtp/sender.h"

namespace trunkline::rtp {

// What the other end says of our stream.
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
  // The monotonic clock shows `now_ms` at that time; a step of the wall's clock later changes nothing.
  void Begin(double now_ms);

  // A packet of the other end. `clock`: of our stream's timestamps. False: it is none.
  bool Take(base::ByteView packet, uint32_t own, int clock, double now_ms);
  bool Due(double now_ms) const { return now_ms >= due_ms_; }
  // The bytes of our report.
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
