// The caller's side of a call: utterances, their times, and the turn they belong to. Media thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lanes/hear/hear.h"
#include "lanes/omni/agent_side.h"
#include "lanes/omni/barge_in_monitor.h"
#include "lanes/omni/event_writer.h"
#include "lanes/omni/media_time.h"
#include "lanes/omni/speaker_lock.h"
#include "lanes/omni/turn_text.h"
#include "lanes/omni/voice_vector_task.h"
#include "lanes/omni/wire_codec.h"

namespace trunkline::omni {

class CallerSide final : public hear::HearListener {
 public:
  // `lock`: speech that is another's than the caller's neither interrupts nor enters the transcript.
  CallerSide(const hear::HearOptions& hear, const BargeInOptions& barge, bool lock, const OmniModels& models,
             MediaTime& time, OmniEventWriter& events, AgentSide& agent, WireCodec codec);

  hear::HearStream& stream() { return stream_; }
  const std::shared_ptr<onnx::Session>& voice_activity() const { return models_->voice_activity(); }
  // Applies from the next utterance on. `languages`: those of the caller, where there are several.
  void SetLanguage(asr::Language language, asr::LanguageSet languages);

  // Takes audio. Returns false when recognition is too far behind; the caller retries with the
  // same bytes.
  bool Take(engine::LaneIo& io, base::ByteView bytes);
  // The audio that Take took last, before echo cancellation.
  std::span<const int16_t> newest() const { return aligned_; }
  // Adds silence for a client that sends nothing for a while.
  void TakeSilence(engine::LaneIo& io);
  // Called once a tick, after the frames of this tick were taken.
  void Work(engine::LaneIo& io);
  // Sends the text of an utterance that was split for its length when nothing followed it.
  void SendTurnText(engine::LaneIo& io);
  void AgentInterrupted();
  void CancelTasks();
  double MediaMs(double stream_s) const;

  void Started(engine::LaneIo& io, uint32_t utterance, double start_s) override;
  // Partials under the agent's voice are not sent.
  bool reads_partials() const override { return turn_ != Turn::kAgents || !agent_.playing(); }
  void Partial(engine::LaneIo& io, uint32_t utterance, double start_s, double end_s,
               const std::string& text) override;
  void EagerFinal(engine::LaneIo& io, uint32_t utterance, double start_s, double end_s,
                  const std::string& text) override;
  void Resumed(engine::LaneIo& io, uint32_t utterance) override;
  bool SpeechFinal(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                   const std::string& text, bool known) override;
  bool Final(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
             const asr::Transcript& transcript) override;
  bool Failed(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
              const base::Status& status) override;

 private:
  enum class Turn : uint8_t {
    kCallers,   // the caller's, or there is none
    kEagerEnd,  // the caller's; its eager final was sent
    kAgents,    // it began under the agent's voice and has not interrupted it
  };
  struct Ended {
    double at_ms = 0;
    double said_to_ms = 0;
  };

  bool Close(engine::LaneIo& io, uint16_t type, uint32_t utterance, const vad::Utterance& span, double asr_ms,
             std::string_view text);
  bool Join(engine::LaneIo& io, const vad::Utterance& span, std::string_view text);
  // Finds the end by level, because the voice detector also reports breath and background noise
  // as speech.
  double SpeechEnd(const vad::Utterance& span);
  double StartMs(double start_s) const;
  // The speaker lock: which voice an utterance is measured for, and what comes of its vector.
  enum class Ask : uint8_t { kNothing, kWhose, kLearn, kGoesOn, kBegins };
  UtteranceVoice Measure(double start_s, double end_s);
  void AskForVoice(engine::LaneIo& io, Ask ask, double start_s, double end_s);
  // Returns the loudest speech in a piece, since the rest may be another's; the newest where there is more.
  std::span<const float> LouderSpeech(double start_s, double end_s);
  void OnVoiceVector();
  // Asks whose voice it is that speaks under the agent's: where it may interrupt and others are known, and where the
  // gate holds it back, since it may be the caller's, who speaks softly.
  void CheckVoice(engine::LaneIo& io);
  // Says whether nothing of the utterance has been as loud as the caller while the lock holds.
  bool IsDoubtful() const { return lock_.locked() && !passed_; }
  // Returns whether the utterance that ended is the caller's; nothing while that is not known yet.
  std::optional<bool> IsCallers(engine::LaneIo& io, uint32_t utterance);

  const std::shared_ptr<hear::HearModels> models_;
  const double wait_ms_;
  const WireCodec codec_;
  MediaTime& time_;
  OmniEventWriter& events_;
  AgentSide& agent_;
  asr::Language language_;
  hear::HearStream stream_;
  BargeInMonitor watch_;
  TurnText turn_text_;
  Turn turn_ = Turn::kCallers;
  bool began_under_agent_ = false;  // the newest utterance
  Ended ended_;
  IdentifiedLanguage identified_;  // that of the utterance that ended last
  std::vector<int16_t> aligned_, silence_;
  int silent_ticks_ = 0;  // ticks of silence that the stream got since the newest frame
  double newest_ms_ = 0;
  SpeakerLock lock_;
  std::unique_ptr<VoiceVectorTask> voice_;
  Ask ask_ = Ask::kNothing;
  UtteranceVoice utterance_voice_;  // the last ended utterance's
  uint32_t heard_utterance_ = 0, asked_utterance_ = 0, decided_utterance_ = 0;
  bool is_callers_ = true;
  double utterance_start_s_ = 0;
  int checked_ms_ = 0;
  uint32_t checked_suspicion_ = 0;
  bool passed_ = false;
  std::vector<asr::SpeechFrame> frames_;
  std::vector<float> levels_;
  std::vector<float> voiced_;
};

}  // namespace trunkline::omni
