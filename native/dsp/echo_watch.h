// Measures the echo of a line, its delay and level, without cancelling it. Realtime: no waiting for a lock,
// no allocation after construction.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dsp/delayed_copy.h"

namespace trunkline::dsp {

struct LineEcho {
  double delay_ms = 0;
  double db = 0;  // relative to the sent audio: below 0 is quieter
};

// Serves the lines of all calls in turn: at most one look in 10 ms, a thirtieth of a core however many lines
// there are. Any thread.
class EchoFinder {
 public:
  // The rate and length of the comparison, and the greatest delay.
  static constexpr int kRate = 8000;
  static constexpr size_t kHeard = 1920, kLatest = 6240;

  EchoFinder();
  // Returns false when it is another line's turn; otherwise Measure must follow.
  bool Begin(double now_ms);
  // `heard`: kHeard samples; `sent`: the kLatest samples before them and the kHeard of the same
  // time.
  DelayedCopy::Found Measure(std::span<const int16_t> heard, std::span<const int16_t> sent);

 private:
  std::atomic_flag busy_;
  double looked_ms_ = -1e9;
  DelayedCopy copy_;
};

class EchoWatch {
 public:
  // `rate`: a multiple of EchoFinder::kRate.
  EchoWatch(int rate, EchoFinder& finder);

  // Adds samples of each direction; both must stay equally long.
  void Sent(std::span<const int16_t> samples) { Decimate(samples, sent_); }
  void Heard(std::span<const int16_t> samples) { Decimate(samples, heard_); }
  // Called when both directions have equally many samples; measures from time to time.
  void Measure(double now_ms);
  // The last echo that was found twice at the same delay, with its mean level.
  std::optional<LineEcho> echo() const;

 private:
  struct Ring {
    explicit Ring(size_t size) : samples(size) {}
    void Push(int16_t sample);
    void CopyTo(std::span<int16_t> to) const;
    std::vector<int16_t> samples;
    size_t next = 0;
  };

  void Decimate(std::span<const int16_t> samples, Ring& ring) const;
  void Found(const DelayedCopy::Found& found);

  const size_t decimation_;
  EchoFinder& finder_;
  Ring sent_, heard_;
  std::vector<int16_t> sent_then_, heard_then_;
  double looked_ms_ = -1e9;
  std::optional<size_t> delay_;
  size_t echo_delay_ = 0;
  double power_ = 0;  // relative to the sent audio, summed over the looks that found an echo
  int echoes_ = 0;
};

}  // namespace trunkline::dsp
