#include "lanes/amd/speech_segments.h"

namespace trunkline::amd {

SegmentEvent SpeechSegments::Frame(float probability, double start_s) {
  const bool speech = state_ == State::kSpeech;
  const bool against = speech ? probability < kHold : probability >= kLoud;
  if (!against) {
    frames_ = 0;
    return {};
  }
  if (frames_ == 0) since_s_ = start_s;
  if (++frames_ < (speech ? kQuietFrames : kLoudFrames)) return {};
  frames_ = 0;
  state_ = speech ? State::kQuiet : State::kSpeech;
  return {speech ? SegmentEvent::Kind::kQuiet : SegmentEvent::Kind::kSpeech, since_s_};
}

}  // namespace trunkline::amd
