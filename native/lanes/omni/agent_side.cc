#include "lanes/omni/agent_side.h"

namespace trunkline::omni {
namespace {

// This part of the outbox is reserved for events that are sent once, such as the end of an interrupted
// speech. When JavaScript does not drain, audio waits first, and the call is closed before the reserve is
// full.
constexpr size_t kReservedForEvents = 48 * 1024;

// Writes audio and the events about it in the same tick.
class ToEvents final : public PlayoutSink {
 public:
  ToEvents(engine::LaneIo& io, OmniEventWriter& events, WireCodec codec, std::vector<uint8_t>& coded)
      : io_(io), events_(events), codec_(codec), coded_(coded) {}
  bool Frame(std::span<const int16_t> samples) override {
    return io_.WriteSparing(engine::kAudioEvent, ToWire(codec_, samples, coded_), kReservedForEvents);
  }
  void Playing(uint32_t speech, uint32_t segment, uint64_t clock) override {
    events_.Playing(io_, speech, segment, clock);
  }
  void SpeechPlayed(uint32_t speech, std::span<const PlayedSegment> segments) override {
    events_.Played(io_, speech, segments);
  }

 private:
  engine::LaneIo& io_;
  OmniEventWriter& events_;
  const WireCodec codec_;
  std::vector<uint8_t>& coded_;
};

}  // namespace

AgentSide::AgentSide(std::shared_ptr<tts::SpeechModels> models, MediaTime& time, OmniEventWriter& events,
                     VoiceStart voice, WireCodec codec)
    : time_(time),
      events_(events),
      playout_({.rate = time.rate()}),
      voice_(std::move(models), playout_, time.rate(), std::move(voice)),
      codec_(codec) {}

bool AgentSide::Speak(const SegmentOrder& segment) {
  // The segment was sent before JavaScript knew that its speech was interrupted.
  if (interrupted_speech_ && segment.speech <= *interrupted_speech_) return true;
  return voice_.Speak(segment);
}

void AgentSide::Interrupt(engine::LaneIo& io, InterruptionReason reason) {
  ToEvents sink(io, events_, codec_, coded_);
  const auto played = playout_.Interrupt(time_.Clock(io), sink);
  io.ClearAudio();
  // The speech had just ended and was reported as played, so nothing was interrupted.
  if (played.empty()) return;
  interrupted_speech_ = played[0].speech;
  voice_.Clear();
  events_.Interrupted(io, static_cast<uint32_t>(reason), played);
}

void AgentSide::SetLag(engine::LaneIo& io, uint32_t ms) {
  playout_.SetLag(uint64_t{ms} * static_cast<uint64_t>(time_.rate()) / 1000, time_.Clock(io));
}

void AgentSide::Duck(engine::LaneIo& io) {
  playout_.Duck();
  events_.Duck(io, true, time_.NowMs(io));
}

void AgentSide::Resume(engine::LaneIo& io) {
  playout_.Resume();
  events_.Duck(io, false, time_.NowMs(io));
}

void AgentSide::Synthesize(engine::LaneIo& io) {
  voice_.Work(io);
  if (const auto speech = voice_.TakeFailed()) events_.SpeechFailed(io, *speech, voice_.failure());
  if (const auto feed = voice_.FeedWanted()) {
    if (events_.Feed(io, feed->speech, feed->segment, feed->wanted_ms)) voice_.FeedAsked(feed->wanted_ms);
  }
}

void AgentSide::Play(engine::LaneIo& io, bool caller_speaks) {
  ToEvents sink(io, events_, codec_, coded_);
  playout_.CallerSpeaks(caller_speaks);
  playout_.Tick(time_.Clock(io), sink);
}

}  // namespace trunkline::omni
