// The agent's voice in a lane: texts wait, are synthesized in order on the pool, and flow into the playout.
// Media thread, except for the task's Run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "lanes/omni/playout.h"
#include "lanes/omni/segment_queue.h"
#include "lanes/omni/voice_tasks.h"

namespace trunkline::omni {

struct VoiceStart {
  uint64_t seed = 0;
  base::ByteView options;  // packed, with which the first segments are spoken
  bool unknown = false;    // that voice is to be learnt
  std::string owner;       // scopes the cached audio; empty: none is cached
  bool fed = false;        // segments may be fed
};

// Audio that was made elsewhere, for a segment that is fed: PCM16 at the segment's rate.
struct FedSound {
  uint32_t speech = 0;
  uint32_t segment = 0;
  base::ByteView sound;
};

// Asks for this much of a segment's audio, counted from its beginning.
struct FeedRequest {
  uint32_t speech = 0;
  uint32_t segment = 0;
  double wanted_ms = 0;
};

class OmniVoice final : private SegmentListener {
 public:
  OmniVoice(std::shared_ptr<tts::SpeechModels> models, Playout& playout, int rate, VoiceStart start);

  // Returns false when the queue is full; the caller retries.
  bool Speak(const SegmentOrder& segment) { return queue_.Add(segment); }
  bool SetVoice(base::ByteView options);
  // Takes the next audio of the open segment; audio of another one is dropped, because that was
  // interrupted.
  void Feed(const FedSound& sound);
  // Ends the feed of the open segment. The voice speaks its text from byte `from` on.
  void EndFeed(uint32_t speech, uint32_t segment, uint32_t from);
  void Finish(uint32_t speech);
  void Release(uint32_t speech);
  void Discard(uint32_t speech);
  // Drops everything that waits or is being synthesized.
  void Clear();
  // Moves synthesized audio into the playout and orders the next piece.
  void Work(engine::LaneIo& io);
  void CancelTasks();

  // Returns a speech whose synthesis failed since the last call, if any; failure() says why.
  std::optional<uint32_t> TakeFailed() { return std::exchange(failed_, std::nullopt); }
  std::string_view failure() const { return failure_; }
  // Returns a request when the open segment wants more than the last one asked for.
  std::optional<FeedRequest> FeedWanted() const;
  void FeedAsked(double wanted_ms) { fed_.asked_ms = wanted_ms; }

 private:
  // The state of the playout's open segment.
  enum class State : uint8_t {
    kIdle,      // there is none
    kMaking,    // its next piece is on the pool
    kMade,      // a piece is there, and not all of it in the playout
    kWaiting,   // its next piece waits until it is needed
    kFed,       // its next sound comes from outside
    kDropping,  // dropped, and still on the pool
  };

  void OnPiece() override;
  // Returns true when all synthesized audio is in the playout, or was reported as failed.
  bool TakeIn();
  void EndSegment();
  void DropSegment();
  void Learn(engine::LaneIo& io);
  void Start(engine::LaneIo& io);
  void Submit(engine::LaneIo& io);
  void TakeFed(engine::LaneIo& io);
  bool IsOpenFeed(uint32_t speech, uint32_t segment) const;

  Playout& playout_;
  const uint64_t seed_;
  SegmentQueue queue_;
  SegmentTask task_;
  LearnVoiceTask learning_;
  bool expects_;                    // the queue's voice is likely to speak next, and may be unknown
  std::vector<uint32_t> finished_;  // speeches that were finished before their segments were made
  State state_ = State::kIdle;
  uint32_t speech_ = 0;
  uint32_t segment_ = 0;
  size_t taken_ = 0;
  std::optional<uint32_t> failed_;  // a speech, not reported yet
  std::string failure_;
  struct {
    int rate = 0;  // 0: the open segment is not fed
    bool ended = false;
    uint32_t from = 0;           // the byte of the text at which the voice goes on
    size_t bytes = 0;            // that have come
    size_t with_task = 0;        // that are on the pool
    double asked_ms = 0;         // the newest request
    std::vector<uint8_t> sound;  // the bytes that the task does not have yet
  } fed_;
};

}  // namespace trunkline::omni
