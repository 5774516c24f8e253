#include "lanes/rtp/reception_stats.h"

#include <algorithm>
#include <cmath>

namespace trunkline::rtp {

void ReceptionStats::Took(int64_t number, std::optional<double> transit) {
  if (received_ == 0) first_ = highest_ = number;
  first_ = std::min(first_, number);
  if (number < highest_) ++reordered_;
  highest_ = std::max(highest_, number);
  ++received_;
  if (!transit) return;
  if (transit_) jitter_ += (std::abs(*transit - *transit_) - jitter_) / 16;
  transit_ = transit;
}

int64_t ReceptionStats::lost() const {
  return std::max<int64_t>(0, expected() - received_);
}

Reception ReceptionStats::TakeReception(uint32_t ssrc) {
  const int64_t expected_now = expected() - expected_before_;
  const int64_t lost_now = expected_now - (received_ - received_before_);
  expected_before_ = expected();
  received_before_ = received_;
  Reception reception;
  reception.ssrc = ssrc;
  if (expected_now > 0 && lost_now > 0) {
    reception.fraction_lost = static_cast<uint8_t>(std::min<int64_t>(255, lost_now * 256 / expected_now));
  }
  reception.lost = static_cast<int32_t>(std::clamp<int64_t>(expected() - received_, -0x800000, 0x7fffff));
  reception.highest = static_cast<uint32_t>(highest_);
  reception.jitter = static_cast<uint32_t>(jitter_);
  return reception;
}

}  // namespace trunkline::rtp
