// The agent's audio on its way to the caller: queued in segments, paced in frames, ducked, interrupted, and
// accounted for to the sample.
//
// A *speech* is what the agent says in one turn; it comes in *segments*, each synthesized piece by piece.
// Audio leaves in frames of 20 ms, never more than `lead` ahead of the moment at which the caller hears it,
// so that an interruption acts at once. The clock is the media clock in samples and only increases. A sample
// counts as played once its moment has come at full level; samples that an interruption flushes, or that were
// sent ducked, do not count.
//
// A client that buffers plays later by the lag that it reports.
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
  // The level of a ducked agent, and the duration of the ramp.
  float duck_db = -30;
  double ramp_s = 0.005;
};

struct PlayedSegment {
  uint32_t speech = 0;
  uint32_t segment = 0;
  uint64_t played = 0;
  // The samples synthesized so far; all of them when `complete`.
  uint64_t total = 0;
  bool complete = false;
};

class PlayoutSink {
 public:
  virtual ~PlayoutSink() = default;
  // Sends a frame of 20 ms. A frame for which it returns false comes again on the next tick.
  virtual bool Frame(std::span<const int16_t> samples) = 0;
  // The caller hears the segment's first sample at this moment; for a lagging client the event comes earlier.
  virtual void Playing(uint32_t speech, uint32_t segment, uint64_t clock) = 0;
  // All of a finished speech was played.
  virtual void SpeechPlayed(uint32_t speech, std::span<const PlayedSegment> segments) = 0;
};

class Playout {
 public:
  explicit Playout(const PlayoutOptions& options);

  // Opens the next segment; Append adds to it until EndSegment. A held speech waits for Release, and one that
  // `yields` does not begin while the caller speaks. Returns false when too many segments wait.
  bool BeginSegment(uint32_t speech, uint32_t segment, bool held, bool yields = false);
  // Returns how many samples were taken, fewer than given when the queue is full.
  size_t Append(std::span<const int16_t> samples);
  void EndSegment();
  // No segment of this speech follows.
  void FinishSpeech(uint32_t speech);
  void Release(uint32_t speech);
  void Discard(uint32_t speech);

  void CallerSpeaks(bool speaks) { caller_speaks_ = speaks; }
  // The client plays what it is sent this much later than intended, at most `kMaxLagS`. Samples
  // that counted as played too early count no more.
  void SetLag(uint64_t samples, uint64_t clock);
  void Tick(uint64_t clock, PlayoutSink& sink);

  // Returns whether anything is being played, is on its way, or was ducked and waits for Resume or Interrupt: a short
  // speech may have been sent ducked entirely.
  bool playing() const { return sent_.size() > 0 || ducked_; }
  bool ducked() const { return ducked_; }
  // The level at which the caller hears the agent at this moment of the clock.
  float sounding_dbfs(uint64_t clock) const;
  // Reads the audio that the caller's loudspeaker plays from this moment on, as far as it was
  // sent and SentAudio stores it.
  void Due(uint64_t clock, std::span<int16_t> out) const { due_.Read(clock, lag_, out); }
  // Reads the same as early as an echo of it may come back: a client may report its lag late, and a canceller
  // cannot find an echo that is ahead of its source.
  void EchoDue(uint64_t clock, std::span<int16_t> out) const { due_.Read(clock, EchoLag(), out); }
  // Samples that Append would take now. Samples that were sent ducked may be needed again.
  size_t free_samples() const {
    return ring_.size() - static_cast<size_t>(write_ - (ducked_ ? ducked_from_ : next_));
  }

  double queued_s() const { return static_cast<double>(write_ - next_) / options_.rate; }

  void Duck();
  // A false interruption: continues at the sample where it was ducked.
  void Resume();
  // Discards everything and fades out. Returns what was played of the current or the next speech; empty
  // without one. Valid until the next call.
  std::span<const PlayedSegment> Interrupt(uint64_t clock, PlayoutSink& sink);

 private:
  static constexpr size_t kSegments = 256;
  static constexpr double kMaxLagS = 2.5;
  // A client may report its lag this late.
  static constexpr double kLateReportS = 0.15;

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
  void MarkUnplayed(uint64_t moment);
  void MarkPlayed(uint64_t clock, PlayoutSink& sink);
  void Announce(const SentFrame& frame, uint64_t clock, PlayoutSink& sink);
  void Count(const SentFrame& frame, uint64_t heard);
  void RetireSpeeches(PlayoutSink& sink);
  size_t Collect(uint32_t speech);
  const Segment* Front();
  void DropFront(size_t count);
  void SkipDropped();
  // Samples that may be sent now, and whether they end a speech.
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
  uint64_t played_at_ = 0;
  bool caller_speaks_ = false;
  bool ducked_ = false;
  uint64_t ducked_from_ = 0;
  float gain_ = 1;
  std::vector<int16_t> out_;
  SentAudio due_;
  std::vector<PlayedSegment> report_;
};

}  // namespace trunkline::omni
