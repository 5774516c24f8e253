// Monitors the caller's input under the agent's voice, ducks the agent when a sound may be an interruption,
// and interrupts it when it is one. Media thread.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "lanes/hear/hear.h"
#include "lanes/omni/agent_side.h"
#include "lanes/omni/barge_in_detector.h"
#include "lanes/omni/echo_cancelled_input.h"
#include "lanes/omni/interruption_text_task.h"
#include "lanes/omni/media_time.h"
#include "lanes/omni/models.h"
#include "lanes/omni/sound_gate.h"

namespace trunkline::omni {

class BargeInMonitor {
 public:
  BargeInMonitor(const BargeInOptions& options, const OmniModels& models, MediaTime& time, AgentSide& agent);

  // Takes a frame and returns it without the agent's echo, valid until the next call.
  std::span<const int16_t> Take(engine::LaneIo& io, std::span<const int16_t> frame) {
    return input_.Take(frame, time_.Clock(io), agent_.playout());
  }
  void TakeSilence(size_t samples) { input_.TakeSilence(samples); }
  // The number of ticks for which the next frame has been due.
  int late_ticks() const { return input_.late_ticks(); }

  // Called once a tick; processes all audio that has come, by the input's own time. Returns true when the
  // agent was interrupted.
  bool Work(engine::LaneIo& io, hear::HearStream& stream, asr::Language language);
  void CancelTasks();

  // The newest utterance holds this much of the caller's own speech, echo excluded.
  void BeginUtterance() { caller_ms_ = 0; }
  int caller_ms() const { return caller_ms_; }
  // The gate has what the speaker lock knows of the sound; a sound that it holds back neither ducks nor interrupts the agent.
  SoundGate& gate() { return gate_; }
  // The start of the sound that may interrupt the agent, in seconds of the stream; nothing where none does.
  std::optional<double> suspected_s() const {
    return detector_.suspecting() ? std::optional(input_.reached_s() - SinceOnset()) : std::nullopt;
  }
  uint32_t suspicion() const { return detector_.suspicion(); }
  // Returns whether the utterance was a backchannel by its sound and nothing followed.
  bool SoundedLikeBackchannel(const vad::Utterance& span) const;

 private:
  // When the input stands still, an answer of the recognizer may still have come.
  bool JudgeSound(engine::LaneIo& io, hear::HearStream& stream, asr::Language language, bool moved);
  BargeInSound SoundNow(const hear::HearStream& stream) const;
  void CountCaller(const BargeInSound& sound);
  void RequestText(engine::LaneIo& io, hear::HearStream& stream, asr::Language language);
  double SinceOnset() const { return static_cast<double>(input_.now_ms() - detector_.onset_ms()) / 1000; }

  MediaTime& time_;
  AgentSide& agent_;
  EchoCancelledInput input_;
  BargeInDetector detector_;
  InterruptionTextTask words_;
  std::optional<float> confidence_margin_;
  double onset_s_ = 0;
  int caller_ms_ = 0;
  SoundGate gate_;
};

}  // namespace trunkline::omni
