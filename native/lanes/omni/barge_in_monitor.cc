#include "lanes/omni/barge_in_monitor.h"

#include <algorithm>
#include <utility>

#include "base/speech_thresholds.h"

namespace trunkline::omni {
namespace {

// Under the agent's voice, a frame counts as the caller's when the voice detector is this sure of speech
// above the echo.
constexpr float kSpeech = base::kSpeechHoldProbability;
// A backchannel by its sound stays one whatever its final words are, if it is no longer than this.
constexpr double kShortS = 0.9;
constexpr int64_t kCompareMs = 40;
// The audio to recognize begins this long before the onset.
constexpr double kAudioBeforeOnsetS = 0.1;
constexpr int64_t kTextDeadline = 60 * base::kNanosPerMilli;

}  // namespace

BargeInMonitor::BargeInMonitor(const BargeInOptions& options, const OmniModels& models, MediaTime& time,
                               AgentSide& agent)
    : time_(time),
      agent_(agent),
      input_(time.rate()),
      detector_(options),
      words_(models.hear, models.listening, detector_) {}

bool BargeInMonitor::Work(engine::LaneIo& io, hear::HearStream& stream, asr::Language language) {
  input_.Tick(agent_.playout().sounding_dbfs(time_.Clock(io)));
  // The input does not run ahead of the voice detector.
  const double until_s =
      stream.ready() ? stream.audio().heard_s() + vad::kFrameSeconds : stream.audio().seconds() + 1;
  bool interrupted = false;
  for (;;) {
    const bool moved = input_.Step(until_s);
    interrupted |= JudgeSound(io, stream, language, moved);
    // The input does not run ahead of the media clock while text is awaited.
    if (!moved || !input_.behind() || detector_.asking()) return interrupted;
  }
}

bool BargeInMonitor::JudgeSound(engine::LaneIo& io, hear::HearStream& stream, asr::Language language,
                                bool moved) {
  if (!detector_.suspecting()) {
    input_.ForgetCompared();
  } else if (moved && input_.now_ms() % kCompareMs == 0 && input_.Compare(agent_.playout())) {
    caller_ms_ = 0;
  }
  BargeInSound sound = SoundNow(stream);
  if (moved) gate_.Tick(sound.level_dbfs, sound.probability >= kSpeech);
  sound.others = gate_.holds_back();
  if (moved) CountCaller(sound);
  const uint32_t before = detector_.suspicion();
  const BargeInStep step = detector_.Tick(input_.now_ms(), sound, agent_.playing());
  if (detector_.suspicion() != before) onset_s_ = input_.reached_s() - SinceOnset();
  if (step.duck) agent_.Duck(io);
  if (step.needs_text) confidence_margin_ = step.confidence_margin;
  RequestText(io, stream, language);
  if (step.resume) agent_.Resume(io);
  if (step.interrupt) agent_.Interrupt(io, InterruptionReason::kBargeIn);
  return step.interrupt;
}

BargeInSound BargeInMonitor::SoundNow(const hear::HearStream& stream) const {
  const auto reached = static_cast<uint64_t>(input_.reached_s() / vad::kFrameSeconds + 1e-6);
  const uint64_t frames = std::min(stream.audio().frames(), reached);
  return {input_.level_dbfs(), frames, stream.audio().probability(frames), input_.echo_dbfs(), input_.echo()};
}

void BargeInMonitor::CountCaller(const BargeInSound& sound) {
  // The echo goes on for a moment after the agent has stopped.
  const bool above = agent_.playing() ? detector_.Audible(sound) && !sound.echo
                                      : sound.level_dbfs >= sound.echo_dbfs + kAboveEchoDb;
  if (above && sound.probability >= kSpeech) caller_ms_ += static_cast<int>(MediaTime::kTickMs);
}

// A recognition that cannot start because an older one is in flight starts after it.
void BargeInMonitor::RequestText(engine::LaneIo& io, hear::HearStream& stream, asr::Language language) {
  if (!confidence_margin_ || words_.in_flight()) return;
  const float confidence_margin = *std::exchange(confidence_margin_, std::nullopt);
  if (!detector_.asking()) return;
  const double since_s = stream.audio().seconds() - input_.reached_s() + SinceOnset() + kAudioBeforeOnsetS;
  words_.Prepare(stream.Recent(since_s), language, detector_.suspicion(), confidence_margin);
  if (!io.Submit(words_, engine::Priority::kTurnTaking, io.now() + kTextDeadline))
    confidence_margin_ = confidence_margin;
}

bool BargeInMonitor::SoundedLikeBackchannel(const vad::Utterance& span) const {
  return words_.is_surely_backchannel() && onset_s_ >= span.start_s && onset_s_ <= span.speech_end_s &&
         span.speech_end_s - onset_s_ <= kShortS;
}

void BargeInMonitor::CancelTasks() {
  if (words_.in_flight()) words_.Cancel();
}

}  // namespace trunkline::omni
