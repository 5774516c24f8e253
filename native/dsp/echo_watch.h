// Whether what was sent into a line comes back from its other end, how late and how loud: told, not taken out.
// Realtime: no lock that is waited for, no allocation after construction.
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
  double db = 0;  // beside what was sent: below 0 is quieter
};

// Looks for the lines of all calls, one after another: at most one look in 10 ms, a thirtieth of a core however many
// they are. Any thread.
class EchoFinder {
 public:
  // At the rate of kRate: how much is looked at, and how late an echo may come.
  static constexpr int kRate = 8000;
  static constexpr size_t kHeard = 1920, kLatest = 6240;

  EchoFinder();
  // False: another line's turn. True: Look follows.
  bool Begin(double now_ms);
  // `heard`: kHeard samples; `sent`: those of kLatest before it and as many as it has.
  DelayedCopy::Found Look(std::span<const int16_t> heard, std::span<const int16_t> sent);

 private:
  std::atomic_flag busy_;
  double looked_ms_ = -1e9;
  DelayedCopy copy_;
};

// One line.
class EchoWatch {
 public:
  // A multiple of EchoFinder::kRate.
  EchoWatch(int rate, EchoFinder& finder);

  // The next samples of each way, equally many of both in the end.
  void Sent(std::span<const int16_t> samples) { Thin(samples, sent_); }
  void Heard(std::span<const int16_t> samples) { Thin(samples, heard_); }
  // When as much was sent as was heard. Looks now and then, where there is something to find.
  void Look(double now_ms);
  // The last that was found twice at the same delay, with its level over all such looks.
  std::optional<LineEcho> echo() const;

 private:
  // The last samples of one way.
  struct Ring {
    explicit Ring(size_t size) : samples(size) {}
    void Push(int16_t sample);
    void CopyTo(std::span<int16_t> to) const;
    std::vector<int16_t> samples;
    size_t next = 0;
  };

  void Thin(std::span<const int16_t> samples, Ring& ring) const;
  void Found(const DelayedCopy::Found& found);

  const size_t thinning_;
  EchoFinder& finder_;
  Ring sent_, heard_;
  std::vector<int16_t> sent_then_, heard_then_;
  double looked_ms_ = -1e9;
  std::optional<size_t> delay_;  // of the copy that the last look found
  size_t echo_delay_ = 0;
  double power_ = 0;  // beside what was sent, summed over the looks that found an echo
  int echoes_ = 0;
};

}  // namespace trunkline::dsp
