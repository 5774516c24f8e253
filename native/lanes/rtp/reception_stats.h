// Reception statistics of a stream (RFC 3550, A.3 and A.8). Realtime.
#pragma once

#include <cstdint>
#include <optional>

#include "lanes/rtp/rtcp.h"

namespace trunkline::rtp {

class ReceptionStats {
 public:
  // `number` is unwrapped; `transit` is arrival minus timestamp in units of the stream's clock, for packets
  // with audio.
  void Took(int64_t number, std::optional<double> transit);
  void Reset() { *this = ReceptionStats(); }

  int64_t received() const { return received_; }
  int64_t lost() const;
  uint64_t reordered() const { return reordered_; }
  double jitter() const { return jitter_; }
  bool begun() const { return received_ > 0; }
  // Covers the time since the previous report.
  Reception TakeReception(uint32_t ssrc);

 private:
  int64_t expected() const { return received_ == 0 ? 0 : highest_ - first_ + 1; }

  int64_t first_ = 0, highest_ = 0, received_ = 0;
  int64_t expected_before_ = 0, received_before_ = 0;
  uint64_t reordered_ = 0;
  double jitter_ = 0;
  std::optional<double> transit_;
};

}  // namespace trunkline::rtp
