// The agent's side of a call: queued speech, its playout position and the effects of an interruption. Media
// thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "engine/engine.h"
#include "lanes/omni/event_writer.h"
#include "lanes/omni/media_time.h"
#include "lanes/omni/playout.h"
#include "lanes/omni/voice.h"
#include "lanes/omni/wire_codec.h"

namespace trunkline::omni {

// kOmniInterrupted reports these values.
enum class InterruptionReason : uint32_t { kBargeIn = 0, kCommand = 1 };

class AgentSide {
 public:
  AgentSide(std::shared_ptr<tts::SpeechModels> models, MediaTime& time, OmniEventWriter& events,
            VoiceStart voice, WireCodec codec);

  // Returns false when the queue is full; the caller retries.
  bool Speak(const SegmentOrder& segment);
  bool SetVoice(base::ByteView options) { return voice_.SetVoice(options); }
  void Feed(const FedSound& sound) { voice_.Feed(sound); }
  void EndFeed(uint32_t speech, uint32_t segment, uint32_t from) { voice_.EndFeed(speech, segment, from); }
  void Finish(uint32_t speech) { voice_.Finish(speech); }
  void Release(uint32_t speech) { voice_.Release(speech); }
  void Discard(uint32_t speech) { voice_.Discard(speech); }
  void Interrupt(engine::LaneIo& io, InterruptionReason reason);
  // The client plays what it is sent this much later.
  void SetLag(engine::LaneIo& io, uint32_t ms);
  // Ducks the agent while an interruption is suspected; Resume restores its level.
  void Duck(engine::LaneIo& io);
  void Resume(engine::LaneIo& io);

  // Called once a tick: Synthesize first, then Play, once it is known whether the caller speaks.
  void Synthesize(engine::LaneIo& io);
  void Play(engine::LaneIo& io, bool caller_speaks);
  void CancelTasks() { voice_.CancelTasks(); }

  const Playout& playout() const { return playout_; }
  bool playing() const { return playout_.playing(); }

 private:
  MediaTime& time_;
  OmniEventWriter& events_;
  Playout playout_;
  OmniVoice voice_;
  const WireCodec codec_;
  std::vector<uint8_t> coded_;
  std::optional<uint32_t> interrupted_speech_;  // the newest; later ones have higher numbers
};

}  // namespace trunkline::omni
