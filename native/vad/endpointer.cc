#include "vad/endpointer.h"

#include <algorithm>
#include <cmath>

namespace trunkline::vad {
namespace {

constexpr double kFrame = 0.032;
// A probability within this of the threshold is the threshold: times are sums of frames.
constexpr double kRounding = 1e-6;

}  // namespace

Endpointer::Endpointer(const EndpointerOptions& options) : options_(options) {
  wait_s_ = options_.endpointing_s;
}

EndpointEvents Endpointer::Frame(float probability, float level_db, double now_s) {
  EndpointEvents events;
  levels_[frames_ % kSeamRoom] = level_db;
  ++frames_;
  loud_frames_ = probability >= options_.start ? loud_frames_ + 1 : 0;
  if (!open_) {
    if (loud_frames_ < options_.start_frames) return events;
    const double speech_s = now_s - kFrame * loud_frames_;
    speech_end_s_ = now_s;
    Open(std::max(floor_s_, speech_s - options_.lead_s), events);
    return events;
  }
  if (probability >= (silent_ ? options_.start : options_.hold)) {
    Speech(now_s, events);
  } else {
    Silence(now_s, events);
  }
  if (open_ && now_s - start_s_ >= options_.longest_s - kRounding) CutAtCap(now_s, events);
  return events;
}

void Endpointer::Speech(double now_s, EndpointEvents& events) {
  if (silent_) events.resumed = true;
  silent_ = false;
  quiet_frames_ = 0;
  speech_end_s_ = now_s;
}

void Endpointer::Silence(double now_s, EndpointEvents& events) {
  ++quiet_frames_;
  if (!silent_ && quiet_frames_ >= options_.pause_frames) {
    silent_ = true;
    wait_s_ = options_.endpointing_s;
    ++pause_;
    events.paused = true;
  }
  if (silent_ && now_s - speech_end_s_ >= wait_s_ - kRounding) {
    const double end_s = std::min(now_s, speech_end_s_ + kFrame * options_.pause_frames);
    Close(end_s, speech_end_s_, EndReason::kSilence, events);
  }
}

void Endpointer::Finished(uint32_t pause, float probability) {
  if (!silent_ || pause != pause_) return;
  const double over = (static_cast<double>(probability) - options_.undecided) / (1 - options_.undecided);
  const double factor = options_.most - (options_.most - options_.least) * std::clamp(over, 0.0, 1.0);
  wait_s_ = options_.endpointing_s * factor;
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
  events.paused = false;
}

// The quietest three frames of the seam, the later of equals; the cut is in the middle of them.
void Endpointer::CutAtCap(double now_s, EndpointEvents& events) {
  const auto reach = static_cast<size_t>(std::min(options_.seam_s, now_s - start_s_) / kFrame);
  const size_t frames = std::min<size_t>({reach, kSeamRoom, frames_});
  double quietest = INFINITY, cut_s = now_s;
  for (size_t back = 1; back + 1 < frames; ++back) {
    const uint64_t middle = frames_ - 1 - back;
    const double level = static_cast<double>(levels_[(middle - 1) % kSeamRoom]) +
                         levels_[middle % kSeamRoom] + levels_[(middle + 1) % kSeamRoom];
    if (level >= quietest) continue;
    quietest = level;
    cut_s = now_s - kFrame * (static_cast<double>(back) + 0.5);
  }
  const bool goes_on = speech_end_s_ > cut_s;
  const double speech_end_s = speech_end_s_;
  const bool was_silent = silent_;
  const int quiet = quiet_frames_;
  Close(cut_s, speech_end_s_, EndReason::kMaxUtterance, events);
  if (!goes_on) return;
  Open(cut_s, events);
  speech_end_s_ = speech_end_s;
  silent_ = was_silent;
  quiet_frames_ = quiet;
}

}  // namespace trunkline::vad
