#include "lanes/amd/recognition_windows.h"

#include <algorithm>

namespace trunkline::amd {

void RecognitionWindows::Take(const SegmentEvent& segment) {
  if (segment.kind == SegmentEvent::Kind::kQuiet) {
    speaking_ = false;
    speech_s_ = segment.at_s;
    return;
  }
  if (segment.kind != SegmentEvent::Kind::kSpeech) return;
  speaking_ = true;
  const bool goes_on =
      number_ > 0 && segment.at_s - speech_s_ < kRestS && segment.at_s - start_s_ < kLongestS;
  if (goes_on) return;
  ++number_;
  start_s_ = std::max(0.0, segment.at_s - kLeadS);
  read_to_s_ = -1;
  read_paused_ = false;
}

std::optional<RecognitionWindows::Order> RecognitionWindows::Due(double now_s, double grown_s) const {
  if (number_ == 0 || now_s - start_s_ > kLongestS) return std::nullopt;
  const double since_s = read_to_s_ < 0 ? start_s_ + kLeadS : read_to_s_;
  if (speaking_) {
    if (now_s - since_s < grown_s) return std::nullopt;
    return Order{number_, start_s_, now_s, false};
  }
  if (speech_s_ - since_s < (read_to_s_ < 0 ? kMinS : 0.0) || (read_paused_ && read_to_s_ >= speech_s_)) {
    return std::nullopt;
  }
  return Order{number_, start_s_, std::min(now_s, speech_s_ + 0.2), true};
}

void RecognitionWindows::Ordered(const Order& order) {
  if (order.number != number_) return;
  read_to_s_ = order.end_s;
  read_paused_ = order.paused;
}

}  // namespace trunkline::amd
