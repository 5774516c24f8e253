// Which speech is recognized when: stretches of it, parted by rests, each read again as it grows. Time is the
// call's own.
#pragma once

#include <cstdint>
#include <optional>

#include "lanes/amd/speech_segments.h"

namespace trunkline::amd {

class RecognitionWindows {
 public:
  // Speech that pauses no longer than this goes on in the same stretch.
  static constexpr double kRestS = 0.6;
  // What is heard before the first frame of speech, and belongs to it.
  static constexpr double kLeadS = 0.3;
  // New speech after which a stretch that goes on is read again.
  static constexpr double kGrownS = 1.3;
  // Less speech than this is not worth reading.
  static constexpr double kLeastS = 0.15;

  // Of a stretch no more than this is read: whoever talks so long has said who they are.
  static constexpr double kLongestS = 15;

  void Take(const SegmentEvent& segment);

  struct Order {
    uint32_t number;
    double start_s, end_s;
    bool paused;
  };
  // What should be read now; nothing where it has been. `grown_s`: new speech after which a stretch that goes
  // on is read again; more than kGrownS on a busy machine.
  std::optional<Order> Due(double now_s, double grown_s = kGrownS) const;
  void Ordered(const Order& order);

 private:
  uint32_t number_ = 0;
  bool speaking_ = false;
  double start_s_ = 0;     // of the stretch, its lead counted
  double speech_s_ = 0;    // where its speech began to rest
  double read_to_s_ = -1;  // where the last order of it ended
  bool read_paused_ = false;
};

}  // namespace trunkline::amd
