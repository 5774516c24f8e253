// The jitter buffer's target delay: how long packets wait so that nearly all are there in time. Realtime.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace trunkline::rtp {

struct JitterDelayBounds {
  double min_ms = 15;
  double max_ms = 250;
};

// Learns from each packet how much later it came than the quickest. All times are in milliseconds.
class JitterDelay {
 public:
  explicit JitterDelay(JitterDelayBounds bounds = {});

  // A packet with the sender's time `media_ms` came at our time `arrival_ms`.
  void Came(double arrival_ms, double media_ms);
  // The delay of audio that plays now after its earliest possible arrival.
  double Of(double now_ms, double media_ms) const { return now_ms - media_ms - quickest_ms(); }
  double target_ms() const { return target_; }
  bool known() const { return packets_ > 0; }
  void Reset();

 private:
  static constexpr size_t kBuckets = 80;
  static constexpr double kBucketMs = 5;
  static constexpr size_t kSpans = 4;
  static constexpr double kSpanMs = 2500;

  double quickest_ms() const;
  void NoteQuickest(double arrival_ms, double offset);
  void Learn(double late_ms);

  JitterDelayBounds bounds_;
  std::array<double, kBuckets> share_{};
  // Clocks drift, so the quickest of the last spans counts.
  std::array<double, kSpans> quickest_{};
  size_t spans_ = 0;
  double span_began_ = 0;
  uint64_t packets_ = 0;
  double target_;
};

}  // namespace trunkline::rtp
