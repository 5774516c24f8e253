#include "lanes/omni/playout.h"

#include <algorithm>
#include <cmath>

#include "dsp/dsp.h"

namespace trunkline::omni {

Playout::Playout(const PlayoutOptions& options)
    : options_(options),
      frame_(static_cast<size_t>(options.rate) / 50),
      lead_(static_cast<uint64_t>(options.lead_s * options.rate)),
      ramp_step_(static_cast<float>(1.0 / std::max(1.0, options.ramp_s * options.rate))),
      duck_gain_(std::pow(10.0f, options.duck_db / 20)),
      ring_(static_cast<size_t>(options.capacity_s * options.rate)),
      segments_(kSegments),
      out_(frame_),
      due_(options.rate) {
  report_.reserve(kSegments);
}

bool Playout::BeginSegment(uint32_t speech, uint32_t segment, bool held, bool yields) {
  if (count_ == kSegments) return false;
  Segment& next = At(count_++);
  next = Segment{};
  next.speech = speech;
  next.number = segment;
  next.start = write_;
  next.held = held;
  next.yields = yields;
  return true;
}

size_t Playout::Append(std::span<const int16_t> samples) {
  if (count_ == 0 || At(count_ - 1).complete || At(count_ - 1).dropped) return samples.size();
  const size_t taken = std::min(samples.size(), free_samples());
  for (size_t i = 0; i < taken; ++i) ring_[(write_ + i) % ring_.size()] = samples[i];
  write_ += taken;
  At(count_ - 1).length += taken;
  return taken;
}

void Playout::EndSegment() {
  if (count_ > 0) At(count_ - 1).complete = true;
}

void Playout::FinishSpeech(uint32_t speech) {
  for (size_t i = count_; i-- > 0;) {
    if (At(i).speech != speech) continue;
    At(i).finished = true;
    return;
  }
}

void Playout::Release(uint32_t speech) {
  for (size_t i = 0; i < count_; ++i) {
    if (At(i).speech == speech) At(i).held = false;
  }
}

void Playout::Discard(uint32_t speech) {
  for (size_t i = 0; i < count_; ++i) {
    Segment& segment = At(i);
    if (segment.speech != speech) continue;
    segment.dropped = true;
    segment.complete = true;
  }
  // Samples at the end of the queue are freed; those before others are skipped in their turn.
  while (count_ > 0 && At(count_ - 1).dropped && At(count_ - 1).start >= next_) {
    write_ = At(count_ - 1).start;
    --count_;
  }
}

void Playout::Tick(uint64_t clock, PlayoutSink& sink) {
  MarkPlayed(clock, sink);
  RetireSpeeches(sink);
  for (;;) {
    played_at_ = std::max(played_at_, clock);
    if (played_at_ - clock >= lead_ || sent_.full()) return;
    const Ready ready = ReadyToSend();
    if (ready.samples < frame_ && !(ready.to_the_end && ready.samples > 0)) return;
    if (!SendFrame(std::min(ready.samples, frame_), sink)) return;
  }
}

Playout::Ready Playout::ReadyToSend() {
  SkipDropped();
  Ready ready;
  uint64_t position = next_;
  for (size_t i = 0; i < count_; ++i) {
    const Segment& segment = At(i);
    const uint64_t end = segment.start + segment.length;
    if (end <= next_ && segment.complete) continue;
    if (segment.held || segment.dropped) return ready;
    if (segment.yields && caller_speaks_ && !playing()) return ready;
    ready.samples += static_cast<size_t>(end - std::max(position, segment.start));
    position = end;
    if (!segment.complete) return ready;
    ready.to_the_end = segment.finished;
    // Two speeches do not share a frame.
    if (segment.finished || ready.samples >= frame_) return ready;
  }
  return ready;
}

void Playout::SkipDropped() {
  for (size_t i = 0; i < count_; ++i) {
    const Segment& segment = At(i);
    const uint64_t end = segment.start + segment.length;
    if (end <= next_) continue;
    if (!segment.dropped || segment.start > next_) return;
    next_ = end;
  }
}

bool Playout::SendFrame(size_t count, PlayoutSink& sink) {
  const float gain = gain_;
  for (size_t i = 0; i < frame_; ++i) {
    out_[i] = i < count ? Leveled(ring_[(next_ + i) % ring_.size()]) : int16_t{0};
  }
  if (!sink.Frame(out_)) {
    gain_ = gain;
    return false;
  }
  sent_.Add({next_, played_at_, static_cast<uint32_t>(count), ducked_, dsp::LevelOf(out_)});
  due_.Add(played_at_, out_);
  next_ += count;
  played_at_ += frame_;
  return true;
}

void Playout::SetLag(uint64_t samples, uint64_t clock) {
  const auto most = static_cast<uint64_t>(kMaxLagS * options_.rate);
  lag_ = std::min(samples, most);
  MarkUnplayed(clock - std::min(clock, lag_));
}

// Only the current speech is corrected; a speech that was reported as played stays so.
void Playout::MarkUnplayed(uint64_t moment) {
  sent_.MarkUnplayed(moment, frame_);
  for (size_t i = 0; i < sent_.size(); ++i) {
    const SentFrame& frame = sent_[i];
    if (frame.ducked || frame.clock + frame_ <= moment) continue;
    const uint64_t heard = frame.position + (moment > frame.clock ? moment - frame.clock : 0);
    for (size_t s = 0; s < count_; ++s) {
      Segment& segment = At(s);
      segment.played = std::min(segment.played, heard - std::min(heard, segment.start));
    }
    return;
  }
}

uint64_t Playout::EchoLag() const {
  return lag_ - std::min(lag_, static_cast<uint64_t>(kLateReportS * options_.rate));
}

int16_t Playout::Leveled(int16_t sample) {
  const float target = ducked_ ? duck_gain_ : 1.0f;
  if (gain_ < target) gain_ = std::min(target, gain_ + ramp_step_);
  if (gain_ > target) gain_ = std::max(target, gain_ - ramp_step_);
  return gain_ == 1.0f ? sample : static_cast<int16_t>(std::lrintf(sample * gain_));
}

void Playout::MarkPlayed(uint64_t clock, PlayoutSink& sink) {
  const uint64_t moment = clock - std::min(clock, lag_);
  for (size_t i = 0; i < sent_.size(); ++i) {
    const SentFrame& frame = sent_[i];
    if (frame.clock > clock) break;
    Announce(frame, clock, sink);
    if (frame.clock <= moment) Count(frame, std::min<uint64_t>(frame.count, moment - frame.clock));
  }
  sent_.MarkPlayed(moment, frame_);
}

// The event for a lagging client is sent ahead of time, so only an interruption stops the segment
// from then on.
void Playout::Announce(const SentFrame& frame, uint64_t clock, PlayoutSink& sink) {
  if (frame.ducked) return;
  for (size_t i = 0; i < count_; ++i) {
    Segment& segment = At(i);
    if (segment.announced || segment.dropped || segment.start >= frame.position + frame.count) continue;
    const uint64_t offset = segment.start > frame.position ? segment.start - frame.position : 0;
    if (segment.length == 0 || frame.clock + offset > clock) continue;
    segment.announced = true;
    sink.Playing(segment.speech, segment.number, frame.clock + offset + lag_);
  }
}

void Playout::Count(const SentFrame& frame, uint64_t heard) {
  if (frame.ducked) return;
  const uint64_t until = frame.position + heard;
  for (size_t i = 0; i < count_; ++i) {
    Segment& segment = At(i);
    if (until <= segment.start) return;
    segment.played = std::max(segment.played, std::min(until - segment.start, segment.length));
  }
}

// The front speech ends when its last segment is complete and all samples were played.
void Playout::RetireSpeeches(PlayoutSink& sink) {
  while (count_ > 0) {
    const uint32_t speech = At(0).speech;
    size_t size = 0;
    bool done = true;
    bool finished = false;
    bool heard = false;
    for (; size < count_ && At(size).speech == speech; ++size) {
      const Segment& segment = At(size);
      done = done && segment.complete && (segment.dropped || segment.played == segment.length);
      finished = finished || segment.finished || segment.dropped;
      heard = heard || !segment.dropped;
    }
    if (!done || !finished) return;
    const bool reported = heard && Collect(speech) > 0;
    DropFront(size);
    if (reported) sink.SpeechPlayed(speech, report_);
  }
}

size_t Playout::Collect(uint32_t speech) {
  report_.clear();
  for (size_t i = 0; i < count_; ++i) {
    const Segment& segment = At(i);
    if (segment.speech != speech) continue;
    report_.push_back({segment.speech, segment.number, segment.played, segment.length, segment.complete});
  }
  return report_.size();
}

void Playout::DropFront(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    next_ = std::max(next_, At(0).start + At(0).length);
    first_ = (first_ + 1) % kSegments;
    --count_;
  }
}

float Playout::sounding_dbfs(uint64_t clock) const {
  const uint64_t moment = clock - std::min(clock, EchoLag());
  for (size_t i = 0; i < sent_.size(); ++i) {
    const SentFrame& frame = sent_[i];
    if (frame.clock <= moment && moment < frame.clock + frame_) return frame.dbfs;
  }
  return dsp::kSilenceDbfs;
}

void Playout::Duck() {
  if (ducked_) return;
  ducked_ = true;
  ducked_from_ = next_;
}

void Playout::Resume() {
  if (!ducked_) return;
  ducked_ = false;
  // The ducked samples may have been discarded since.
  next_ = std::max(ducked_from_, count_ > 0 ? At(0).start : write_);
}

const Playout::Segment* Playout::Front() {
  const Segment* next = nullptr;
  for (size_t i = 0; i < count_; ++i) {
    const Segment& segment = At(i);
    if (segment.announced) return &segment;
    if (next == nullptr && !segment.dropped) next = &segment;
  }
  return next;
}

std::span<const PlayedSegment> Playout::Interrupt(uint64_t clock, PlayoutSink& sink) {
  MarkPlayed(clock, sink);
  report_.clear();
  if (sent_.size() > 0 && next_ < write_ && !ducked_) {
    // A ramp of 5 ms down to silence avoids a click; it does not count as played.
    const size_t ramp = std::min<size_t>(frame_, static_cast<size_t>(options_.ramp_s * options_.rate));
    for (size_t i = 0; i < frame_; ++i) {
      const bool in_ramp = i < ramp && next_ + i < write_;
      const float gain =
          in_ramp ? gain_ * (1.0f - static_cast<float>(i + 1) / static_cast<float>(ramp)) : 0.0f;
      out_[i] =
          in_ramp ? static_cast<int16_t>(std::lrintf(ring_[(next_ + i) % ring_.size()] * gain)) : int16_t{0};
    }
    sink.Frame(out_);
  }
  if (const Segment* front = Front()) Collect(front->speech);
  count_ = 0;
  sent_.Forget();
  next_ = write_;
  played_at_ = clock;
  due_.Truncate(clock - std::min(clock, lag_));
  ducked_ = false;
  gain_ = 1;
  return report_;
}

}  // namespace trunkline::omni
