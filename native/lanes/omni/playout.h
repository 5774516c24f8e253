// What the agent says, on its way to the caller: queued in segments, paced in frames, ducked, cut, and
// accounted for to the sample.
//
// A *speech* is what the agent says in one turn; it comes in *segments*, each synthesized piece by piece.
// Audio leaves in frames of 20 ms, never more than `lead` ahead of the moment at which the caller hears it,
// so that a cut is a cut. The clock is the media clock in samples; it only ever increases. A sample counts as
// played once its moment has come, at full level: what was sent and is flushed by a cut does not, nor does
// what was sent ducked.
//
// A client that buffers hears later than that: by the lag, once it has told how much it is.
//
// Media thread only. Nothing here allocates after construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lanes/omni/sent_audio.h"
#include "lanes/omni/sent_frames.h"

namespace trunkline::omni {

struct PlayoutOptions {
  int rate = 8000;
  double lead_s = 0.06;
  double capacity_s = 60;
  // The level of a ducked agent, and how long the way down and up takes.
  float duck_db = -30;
  double ramp_s = 0.005;
};

struct PlayedSegment {
  uint32_t speech = 0;
  uint32_t segment = 0;
  uint64_t played = 0;
  // What was synthesized so far; all of it when `complete`.
  uint64_t total = 0;
  bool complete = false;
};

class PlayoutSink {
 public:
  virtual ~PlayoutSink() = default;
  // 20 ms for the wire; false: no room now, the same frame comes again on the next tick.
  virtual bool Frame(std::span<const int16_t> samples) = 0;
  // The caller hears the segment's first sample at this moment of the clock; a late client's is told before.
  virtual void Playing(uint32_t speech, uint32_t segment, uint64_t clock) = 0;
  // All of a finished speech was played.
  virtual void SpeechPlayed(uint32_t speech, std::span<const PlayedSegment> segments) = 0;
};

class Playout {
 public:
  explicit Playout(const PlayoutOptions& options);

  // Opens the next segment; what Append takes belongs to it until EndSegment. A held speech waits for
  // Release. False: too many segments wait, try again later.
  // One that `yields` does not begin while the caller speaks.
  bool BeginSegment(uint32_t speech, uint32_t segment, bool held, bool yields = false);
  // How many samples were taken; fewer than given when the queue is full.
  size_t Append(std::span<const int16_t> samples);
  void EndSegment();
  // No segment of this speech follows.
  void FinishSpeech(uint32_t speech);
  void Release(uint32_t speech);
  // Forgets what has not been sent of a speech.
  void Discard(uint32_t speech);

  void CallerSpeaks(bool speaks) { caller_speaks_ = speaks; }
  // By how much later than it was meant to be the client hears what it is sent; at most `kMostLagS`. What counted as
  // played too early counts no more.
  void SetLag(uint64_t samples, uint64_t clock);
  void Tick(uint64_t clock, PlayoutSink& sink);

  // Something is being heard, or on its way, or was ducked and waits for Resume or Cut: all of a short
  // speech may have been sent ducked.
  bool playing() const { return sent_.size() > 0 || ducked_; }
  bool ducked() const { return ducked_; }
  // How loud what the caller hears at this moment of the clock is.
  float sounding_dbfs(uint64_t clock) const;
  // What the caller's loudspeaker gives out from this moment of the clock on, as far as it was sent and less
  // than `SentAudio` keeps.
  void Due(uint64_t clock, std::span<int16_t> out) const { due_.Read(clock, lag_, out); }
  // The same as an echo of it may come back at the soonest: the far end may tell later than it plays, and a canceller
  // finds no echo that is ahead of its sound.
  void EchoDue(uint64_t clock, std::span<int16_t> out) const { due_.Read(clock, EchoLag(), out); }
  // Samples that Append would take now. What was sent ducked may be needed again.
  size_t room() const {
    return ring_.size() - static_cast<size_t>(write_ - (ducked_ ? ducked_from_ : next_));
  }

  // Of what has not been sent.
  double queued_s() const { return static_cast<double>(write_ - next_) / options_.rate; }

  // The level falls from the next frame on.
  void Duck();
  // False alarm: goes on at the sample where it ducked.
  void Resume();
  // Forgets everything and fades out. Answers what was played of the speech that was heard, or was about to
  // be; empty when there was none. Valid until the next call.
  std::span<const PlayedSegment> Cut(uint64_t clock, PlayoutSink& sink);

 private:
  static constexpr size_t kSegments = 256;
  static constexpr double kMostLagS = 2.5;
  // What a client may be late to tell.
  static constexpr double kToldLateS = 0.15;

  struct Segment {
    uint32_t speech = 0;
    uint32_t number = 0;
    uint64_t start = 0;
    uint64_t length = 0;
    uint64_t played = 0;
    bool complete = false;
    bool held = false;
    bool yields = false;
    bool finished = false;  // the last of its speech
    bool announced = false;
    bool dropped = false;
  };

  Segment& At(size_t index) { return segments_[(first_ + index) % kSegments]; }
  uint64_t EchoLag() const;
  void Unhear(uint64_t moment);
  void Hear(uint64_t clock, PlayoutSink& sink);
  void Announce(const SentFrame& frame, uint64_t clock, PlayoutSink& sink);
  void Count(const SentFrame& frame, uint64_t heard);
  void RetireSpeeches(PlayoutSink& sink);
  size_t Collect(uint32_t speech);
  // Of the speech that is heard, or else comes next.
  const Segment* Front();
  void DropFront(size_t count);
  void SkipDropped();
  // Samples that may go out now, and whether the end of a speech is among them.
  struct Ready {
    size_t samples = 0;
    bool to_the_end = false;
  };
  Ready ReadyToSend();
  bool SendFrame(size_t count, PlayoutSink& sink);
  int16_t Leveled(int16_t sample);

  PlayoutOptions options_;
  size_t frame_;
  uint64_t lead_;
  float ramp_step_;
  float duck_gain_;

  std::vector<int16_t> ring_;
  uint64_t next_ = 0;  // next to send
  uint64_t write_ = 0;
  std::vector<Segment> segments_;
  size_t first_ = 0;
  size_t count_ = 0;
  SentFrames sent_;
  uint64_t lag_ = 0;
  uint64_t heard_at_ = 0;  // when the next sample that is sent will be heard
  bool caller_speaks_ = false;
  bool ducked_ = false;
  uint64_t ducked_from_ = 0;
  float gain_ = 1;
  std::vector<int16_t> out_;
  SentAudio due_;
  std::vector<PlayedSegment> report_;
};

}  // namespace trunkline::omni
