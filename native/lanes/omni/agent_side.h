// The agent's side of a call: what it is to say, what of it the caller has heard, and what an interruption
// does to it. Media thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "engine/engine.h"
#include "lanes/omni/media_time.h"
#include "lanes/omni/playout.h"
#include "lanes/omni/records.h"
#include "lanes/omni/voice.h"
#include "lanes/omni/wire_codec.h"

namespace trunkline::omni {

// Who cut the agent off, as kOmniCutDone tells it.
enum class CutReason : uint32_t { kBargeIn = 0, kCommand = 1 };

class AgentSide {
 public:
  AgentSide(std::shared_ptr<tts::SpeechModels> models, MediaTime& time, OmniRecords& records,
            VoiceStart voice, WireCodec codec);

  // False: no room now, the same is asked for again.
  bool Speak(const SegmentOrder& segment);
  bool SetVoice(base::ByteView options) { return voice_.SetVoice(options); }
  void Finish(uint32_t speech) { voice_.Finish(speech); }
  void Release(uint32_t speech) { voice_.Release(speech); }
  void Discard(uint32_t speech) { voice_.Discard(speech); }
  // What it says now is over.
  void Cut(engine::LaneIo& io, CutReason reason);
  // The client hears what it is sent by so much later.
  void SetLag(engine::LaneIo& io, uint32_t ms);
  // Somebody may be interrupting: it goes on more quietly, or as loud as before.
  void Duck(engine::LaneIo& io);
  void Resume(engine::LaneIo& io);

  // Once a tick: synthesis, and then, when it is known whether the caller speaks, sound.
  void Synthesize(engine::LaneIo& io);
  void Play(engine::LaneIo& io, bool caller_speaks);
  void CancelTasks() { voice_.CancelTasks(); }

  const Playout& playout() const { return playout_; }
  bool playing() const { return playout_.playing(); }

 private:
  MediaTime& time_;
  OmniRecords& records_;
  Playout playout_;
  OmniVoice voice_;
  const WireCodec codec_;
  std::vector<uint8_t> coded_;
  std::optional<uint32_t> cut_speech_;  // the newest; later ones have higher numbers
};

}  // namespace trunkline::omni
