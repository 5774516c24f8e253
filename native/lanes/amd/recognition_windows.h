// Chooses which stretches of speech are recognized when; each is recognized again as it grows. Time is the
// call's own.
#pragma once

#include <cstdint>
#include <optional>

#include "lanes/amd/speech_segments.h"

namespace trunkline::amd {

class RecognitionWindows {
 public:
  // A longer pause ends the stretch.
  static constexpr double kRestS = 0.6;
  // Audio before the first frame of speech that belongs to it.
  static constexpr double kLeadS = 0.3;
  // A stretch that goes on is recognized again after this much new speech.
  static constexpr double kGrownS = 1.3;
  // A stretch with less speech than this is not recognized.
  static constexpr double kMinS = 0.15;

  // Only this much of a stretch is recognized; it suffices for a verdict.
  static constexpr double kLongestS = 15;

  void Take(const SegmentEvent& segment);

  struct Order {
    uint32_t number;
    double start_s, end_s;
    bool paused;
  };
  // Returns what to recognize now, if anything. `grown_s` overrides kGrownS on a busy machine.
  std::optional<Order> Due(double now_s, double grown_s = kGrownS) const;
  void Ordered(const Order& order);

 private:
  uint32_t number_ = 0;
  bool speaking_ = false;
  double start_s_ = 0;
  double speech_s_ = 0;
  double read_to_s_ = -1;
  bool read_paused_ = false;
};

}  // namespace trunkline::amd
