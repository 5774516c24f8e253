// The agent's voice in a lane: texts wait, are synthesized one after the other on the pool, and flow into the
// playout. Media thread, but for the task's Run.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/lane.h"
#include "engine/playout.h"
#include "tts/encoder.h"
#include "tts/synthesis.h"
#include "tts/voice_learner.h"

namespace trunkline::engine {

class OmniVoice;

struct SegmentText {
  uint32_t speech = 0;
  uint32_t segment = 0;
  bool held = false;
  bool yields = false;
  std::string text;
  tts::VoiceSpec voice;
};

// One segment on its way from text to samples, a window at a time.
class SegmentTask final : public LaneTask {
 public:
  SegmentTask(OmniVoice& owner, std::shared_ptr<tts::SpeechModels> models, int rate);
  void Prepare(const SegmentText& segment, uint64_t seed);
  Step Run() override;
  void Done(LaneIo& io) override;

  // Of the last run.
  const std::vector<int16_t>& samples() const { return samples_; }
  const base::Status& status() const { return status_; }
  bool complete() const { return complete_; }
  bool sounded() const { return sounded_; }

 private:
  OmniVoice& owner_;
  const std::shared_ptr<tts::SpeechModels> models_;
  const int rate_;
  SegmentText segment_;
  uint64_t seed_ = 0;
  std::unique_ptr<tts::Synthesis> synthesis_;
  std::unique_ptr<tts::WireEncoder> encoder_;
  std::vector<float> floats_;
  std::vector<uint8_t> bytes_;
  std::vector<int16_t> samples_;
  base::Status status_;
  bool complete_ = false;
  bool sounded_ = false;
  // A speech goes on where its last segment ended, after as long a pause as between two clauses of one text.
  size_t pause_ = 0;  // samples, still to come
  uint32_t said_speech_ = 0;
  int said_pause_ms_ = 0;
};

// Learns a voice that was never used on this machine while the caller still says hello: seconds of work,
// once.
class LearnVoiceTask final : public LaneTask {
 public:
  explicit LearnVoiceTask(std::shared_ptr<tts::SpeechModels> models) : models_(std::move(models)) {}
  void Prepare(tts::VoiceSpec voice);
  Step Run() override;
  void Done(LaneIo&) override {}

 private:
  const std::shared_ptr<tts::SpeechModels> models_;
  tts::VoiceSpec voice_;
  std::unique_ptr<tts::VoiceLearner> learner_;
};

class OmniVoice {
 public:
  OmniVoice(std::shared_ptr<tts::SpeechModels> models, Playout& playout, int rate, uint64_t seed);

  // Not on the media thread: the voice of a call that is being opened. One that is known is not learnt.
  void ExpectFirst(const tts::VoiceSpec& voice);
  // The voice that is likely to speak next.
  void Expect(const tts::VoiceSpec& voice) { expected_ = voice; }
  void Speak(SegmentText segment);
  void Finish(uint32_t speech);
  void Release(uint32_t speech);
  void Discard(uint32_t speech);
  // Everything that waits or is being made is dropped.
  void Clear();
  // Moves what was made into the playout and orders the next piece.
  void Work(LaneIo& io);
  void CancelTasks();

  // A speech whose synthesis failed since the last call; false when none did.
  bool TakeFailure(uint32_t& speech, std::string& message);

  // From the task.
  void Made();

 private:
  void Learn(LaneIo& io);
  void Start(LaneIo& io);
  void Submit(LaneIo& io);

  Playout& playout_;
  const int rate_;
  const uint64_t seed_;
  const std::shared_ptr<tts::SpeechModels> models_;
  SegmentTask task_;
  LearnVoiceTask learning_;
  std::optional<tts::VoiceSpec> expected_;
  std::deque<SegmentText> waiting_;
  std::vector<uint32_t> finished_;  // speeches whose end was told before their segments were made
  bool making_ = false;             // a segment is open in the playout
  bool dropped_ = false;            // and is not wanted any more
  bool made_ = false;               // the task has answered
  bool waits_ = false;              // and its next piece waits until it is needed
  size_t taken_ = 0;                // of what it answered
  uint32_t speech_ = 0;
  bool failed_ = false;
  uint32_t failed_speech_ = 0;
  std::string failure_;
};

}  // namespace trunkline::engine
