#include "vad/endpointer.h"

#include <algorithm>

namespace trunkline::vad {
namespace {

constexpr double kFrameS = 0.032;
// The tolerance of comparisons, because times are sums of frames.
constexpr double kRounding = 1e-6;

double ShareAt(const TurnWaits& waits, double probability) {
  for (size_t i = 1; i < waits.size(); ++i) {
    const TurnWait &from = waits[i - 1], &to = waits[i];
    if (probability >= to.probability) continue;
    const double part = std::max(0.0, probability - from.probability) / (to.probability - from.probability);
    return from.share + (to.share - from.share) * part;
  }
  return waits.back().share;
}

}  // namespace

Endpointer::Endpointer(const EndpointerOptions& options) : options_(options) {
  wait_s_ = options_.endpointing_s;
}

EndpointEvents Endpointer::Frame(float probability, double now_s) {
  EndpointEvents events;
  loud_frames_ = probability >= options_.start ? loud_frames_ + 1 : 0;
  if (!open_) {
    if (loud_frames_ < options_.start_frames) return events;
    const double speech_s = now_s - kFrameS * loud_frames_;
    speech_end_s_ = now_s;
    Open(std::max(floor_s_, speech_s - options_.lead_s), events);
    return events;
  }
  if (probability >= (silent_ ? options_.start : options_.hold)) {
    Speech(now_s, events);
  } else {
    Silence(now_s, events);
  }
  return events;
}

bool Endpointer::Long(double now_s) const {
  return now_s - start_s_ >= options_.longest_s - kRounding;
}

bool Endpointer::full(double now_s) const {
  return open_ && !silent_ && Long(now_s);
}

void Endpointer::Speech(double now_s, EndpointEvents& events) {
  if (silent_) events.resumed = true;
  events.silence_ended = !silent_ && quiet_frames_ > 0;
  silent_ = false;
  quiet_frames_ = 0;
  speech_end_s_ = now_s;
}

void Endpointer::Silence(double now_s, EndpointEvents& events) {
  ++quiet_frames_;
  events.silence_started = !silent_ && quiet_frames_ == 1;
  if (!silent_ && quiet_frames_ >= options_.pause_frames) {
    silent_ = true;
    wait_s_ = options_.endpointing_s;
    ++pause_;
    events.paused = true;
  }
  if (!silent_) return;
  const bool over = now_s - speech_end_s_ >= wait_s_ - kRounding;
  if (!over && !Long(now_s)) return;
  const double end_s = std::min(now_s, speech_end_s_ + kFrameS * options_.pause_frames);
  Close(end_s, speech_end_s_, over ? EndReason::kSilence : EndReason::kMaxUtterance, events);
}

void Endpointer::Finished(uint32_t pause, std::optional<float> probability) {
  if (!silent_ || pause != pause_) return;
  wait_s_ = options_.endpointing_s;
  if (probability) wait_s_ *= ShareAt(options_.waits, static_cast<double>(*probability));
}

EndpointEvents Endpointer::Commit(double now_s, EndReason reason) {
  EndpointEvents events;
  if (open_) Close(now_s, speech_end_s_, reason, events);
  return events;
}

void Endpointer::Open(double start_s, EndpointEvents& events) {
  open_ = true;
  silent_ = false;
  quiet_frames_ = 0;
  start_s_ = start_s;
  wait_s_ = options_.endpointing_s;
  events.started = true;
}

void Endpointer::Close(double end_s, double speech_end_s, EndReason reason, EndpointEvents& events) {
  ended_ = {start_s_, end_s, std::min(speech_end_s, end_s), reason};
  floor_s_ = end_s;
  open_ = false;
  silent_ = false;
  loud_frames_ = 0;
  events.ended = true;
  events.paused = events.silence_started = false;
}

EndpointEvents Endpointer::SplitAt(double at_s) {
  EndpointEvents events;
  if (!open_) return events;
  const double speech_end_s = speech_end_s_;
  const int quiet_frames = quiet_frames_;
  Close(at_s, speech_end_s, EndReason::kMaxUtterance, events);
  Open(at_s, events);
  speech_end_s_ = std::max(at_s, speech_end_s);
  quiet_frames_ = quiet_frames;
  return events;
}

}  // namespace trunkline::vad
