// The caller's side of a call: what was said, when, and whose turn it was. Media thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lanes/hear/hear.h"
#include "lanes/omni/agent_side.h"
#include "lanes/omni/barge_monitor.h"
#include "lanes/omni/turn_text.h"
#include "lanes/omni/media_time.h"
#include "lanes/omni/records.h"
#include "lanes/omni/wire_codec.h"

namespace trunkline::omni {

class CallerSide final : public hear::HearListener {
 public:
  CallerSide(const hear::HearOptions& hear, const BargeOptions& barge, const OmniModels& models,
             MediaTime& time, OmniRecords& records, AgentSide& agent, WireCodec codec);

  hear::HearStream& stream() { return stream_; }
  const std::shared_ptr<onnx::Session>& voice_activity() const { return models_->voice_activity(); }
  // From the next utterance on.
  void SetLanguage(asr::Language language);

  // What came now. False: no room, the same is given again.
  bool Take(engine::LaneIo& io, base::ByteView bytes);
  // What it took last, as it came.
  std::span<const int16_t> newest() const { return aligned_; }
  // Who sends nothing for a while is silent, and was from then on.
  void TakeSilence(engine::LaneIo& io);
  // Once a tick, after the frames of this tick were heard.
  void Work(engine::LaneIo& io);
  // An utterance was cut for its length, and nothing followed: it is told now.
  void SendTurnText(engine::LaneIo& io);
  // The agent was cut off for another reason than the caller.
  void AgentCut();
  void CancelTasks();
  // A moment of the caller's stream, by the media clock.
  double MediaMs(double stream_s) const;

  void Started(engine::LaneIo& io, uint32_t utterance, double start_s) override;
  // Under the agent's voice nobody is told of them.
  bool reads_partials() const override { return turn_ != Turn::kAgents || !agent_.playing(); }
  void Partial(engine::LaneIo& io, uint32_t utterance, double start_s, double end_s,
               const std::string& text) override;
  void Guessed(engine::LaneIo& io, uint32_t utterance, double start_s, double end_s,
               const std::string& text) override;
  void Resumed(engine::LaneIo& io, uint32_t utterance) override;
  bool SpeechFinal(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                   const std::string& text, bool known) override;
  bool Final(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
             const asr::Transcript& transcript) override;
  bool Failed(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
              const base::Status& status) override;

 private:
  // Whose turn the utterance that began last is in.
  enum class Turn : uint8_t {
    kCallers,  // the caller's, or there is none
    kGuessed,  // the caller's; what it says if it has ended was told
    kAgents,   // it began under the agent's voice and has not interrupted it
  };
  // Of the utterance that ended last.
  struct Ended {
    double at_ms = 0;       // when that was known
    double said_to_ms = 0;  // where its speech ended
  };

  bool Close(engine::LaneIo& io, uint16_t type, uint32_t utterance, const vad::Utterance& span, double asr_ms,
             std::string_view text);
  bool Join(engine::LaneIo& io, const vad::Utterance& span, std::string_view text);
  // By its level, where the detector of speech took a breath behind it, or the room, for speech too.
  double SpeechEnd(const vad::Utterance& span);
  double StartMs(double start_s) const;

  const std::shared_ptr<hear::HearModels> models_;
  const double wait_ms_;  // at most, at the end of speech
  const WireCodec codec_;
  MediaTime& time_;
  OmniRecords& records_;
  AgentSide& agent_;
  asr::Language language_;
  hear::HearStream stream_;
  BargeMonitor watch_;
  TurnText turn_text_;
  Turn turn_ = Turn::kCallers;
  Ended ended_;
  std::vector<int16_t> aligned_, silence_;
  int silent_ticks_ = 0;  // given to the stream since the newest frame
  double newest_ms_ = 0;  // when the newest sample of the stream came
};

}  // namespace trunkline::omni
