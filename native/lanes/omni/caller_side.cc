#include "lanes/omni/caller_side.h"

#include <algorithm>
#include <utility>

#include "dsp/dsp.h"
#include "lanes/omni/lane.h"
#include "lanes/omni/speech_end.h"
#include "text/reading/reading.h"

namespace trunkline::omni {
namespace {

// Under the agent's voice, an utterance with less of the caller's speech than this is echo.
constexpr int kLeastCallerMs = 80;
// No frame is expected any more after this many ticks: networks rarely hold frames up that long, while
// clients with a muted microphone send nothing.
constexpr int kStoppedTicks = 50;
// Speech that the voice detector reports for longer than this after the last clear sound is soft speech.
constexpr double kMostBreathS = 0.5;

}  // namespace

CallerSide::CallerSide(const hear::HearOptions& hear, const BargeOptions& barge, const OmniModels& models,
                       MediaTime& time, OmniRecords& records, AgentSide& agent, WireCodec codec)
    : models_(models.hear),
      wait_ms_(hear.endpointing_s * hear.most_wait * 1000),
      codec_(codec),
      time_(time),
      records_(records),
      agent_(agent),
      language_(hear.language.value_or(asr::Language::kEn)),
      stream_(hear, models.hear, *this),
      watch_(barge, models, time, agent) {
  silence_.resize(static_cast<size_t>(time.rate() / 100));
}

void CallerSide::SetLanguage(asr::Language language, asr::LanguageSet languages) {
  language_ = language;
  stream_.options().language = language;
  stream_.options().languages = languages;
  const auto& recognizer = stream_.options().recognizer;
  if (recognizer == nullptr || !recognizer->whisper()->english_only()) return;
  if (language == asr::Language::kEn && languages == 0) return;
  // The stock recognizer goes on, whose tokens are others.
  stream_.options().recognizer = nullptr;
  stream_.options().vocabulary = nullptr;
}

bool CallerSide::Take(engine::LaneIo& io, base::ByteView bytes) {
  if (!stream_.audio().takes()) return false;
  FromWire(codec_, bytes, aligned_);
  silent_ticks_ = 0;
  newest_ms_ = time_.NowMs(io);
  return stream_.Push(watch_.Take(io, aligned_));
}

void CallerSide::TakeSilence(engine::LaneIo& io) {
  const int stopped = watch_.late_ticks();
  if (stopped < kStoppedTicks) return;
  for (; silent_ticks_ < stopped; ++silent_ticks_) {
    if (!stream_.Push(silence_)) return;
    watch_.TakeSilence(silence_.size());
    newest_ms_ = time_.NowMs(io);
  }
}

void CallerSide::Work(engine::LaneIo& io) {
  stream_.Work(io);
  if (watch_.Work(io, stream_, language_)) AgentCut();
}

void CallerSide::AgentCut() {
  if (turn_ == Turn::kAgents) turn_ = Turn::kCallers;
}

void CallerSide::CancelTasks() {
  stream_.CancelTasks();
  watch_.CancelTasks();
}

void CallerSide::Started(engine::LaneIo& io, uint32_t, double start_s) {
  turn_ = agent_.playing() ? Turn::kAgents : Turn::kCallers;
  watch_.BeginUtterance();
  records_.SpeechStart(io, MediaMs(start_s));
}

void CallerSide::Partial(engine::LaneIo& io, uint32_t utterance, double, double, const std::string& text) {
  if (turn_ != Turn::kAgents) records_.Partial(io, utterance, turn_text_.With(text));
}

void CallerSide::Guessed(engine::LaneIo& io, uint32_t utterance, double start_s, double end_s,
                         const std::string& text) {
  if (turn_ == Turn::kAgents) return;
  const OmniUtterance guess{
      utterance, StartMs(start_s), MediaMs(end_s), time_.NowMs(io), 0, turn_text_.With(text), {}};
  turn_ = records_.Utterance(io, kOmniEager, guess) ? Turn::kGuessed : Turn::kCallers;
}

void CallerSide::Resumed(engine::LaneIo& io, uint32_t utterance) {
  if (turn_ != Turn::kGuessed) return;
  turn_ = Turn::kCallers;
  records_.Continued(io, utterance);
}

bool CallerSide::SpeechFinal(engine::LaneIo& io, uint32_t, const vad::Utterance& span, const std::string&,
                             bool) {
  ended_ = {time_.NowMs(io), MediaMs(SpeechEnd(span))};
  return true;
}

bool CallerSide::Final(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                       const asr::Transcript& transcript) {
  const bool overlapped = turn_ == Turn::kAgents;
  const bool echo = overlapped && watch_.caller_ms() < kLeastCallerMs;
  const std::string_view text = echo ? std::string_view() : transcript.text;
  if (transcript.language_odds > 0 && !text.empty()) {
    identified_ = {static_cast<uint32_t>(transcript.language), transcript.language_odds,
                   (span.speech_end_s - span.start_s) * 1000};
  }
  if (span.reason == vad::EndReason::kMaxUtterance && Join(io, span, text)) return true;
  const bool listening =
      text::ClassifyUtterance(transcript.text, asr::CodeOf(language_)) != text::Utterance::kTurn ||
      watch_.SoundedLikeBackchannel(span);
  const bool backchannel = overlapped && listening && turn_text_.empty();
  return Close(io, backchannel ? kOmniBackchannel : kOmniFinal, utterance, span,
               time_.NowMs(io) - ended_.at_ms, text);
}

// The utterance was split for its length; its text waits for the rest of the turn.
bool CallerSide::Join(engine::LaneIo& io, const vad::Utterance& span, std::string_view text) {
  if (!turn_text_.Take(text, MediaMs(span.start_s), MediaMs(span.speech_end_s))) return false;
  if (turn_ == Turn::kAgents) agent_.Cut(io, CutReason::kBargeIn);
  turn_ = Turn::kCallers;
  return true;
}

// Recognition failed and the call goes on: the caller is asked to repeat. A backchannel has taken no turn and
// is dropped; of a long turn the rest is answered.
bool CallerSide::Failed(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                        const base::Status& status) {
  if (span.reason == vad::EndReason::kMaxUtterance && stream_.speaking()) return true;
  if (turn_ == Turn::kAgents || !turn_text_.empty()) return Close(io, kOmniFinal, utterance, span, 0, {});
  return Close(io, kOmniLost, utterance, span, time_.NowMs(io) - ended_.at_ms, status.message());
}

bool CallerSide::Close(engine::LaneIo& io, uint16_t type, uint32_t utterance, const vad::Utterance& span,
                       double asr_ms, std::string_view text) {
  const double end_ms = text.empty() && !turn_text_.empty() ? turn_text_.end_ms() : ended_.said_to_ms;
  const OmniUtterance said{utterance, StartMs(span.start_s), end_ms,     ended_.at_ms,
                           asr_ms,    turn_text_.With(text), identified_};
  if (!records_.Utterance(io, type, said)) return false;
  identified_ = {};
  turn_text_.Clear();
  turn_ = Turn::kCallers;
  return true;
}

void CallerSide::SendTurnText(engine::LaneIo& io) {
  if (turn_text_.empty() || stream_.speaking() || !stream_.reported()) return;
  const double now_ms = time_.NowMs(io);
  if (now_ms - turn_text_.end_ms() < wait_ms_) return;
  const OmniUtterance said{0, turn_text_.start_ms(), turn_text_.end_ms(), now_ms,
                           0, turn_text_.With({}),   identified_};
  if (!records_.Utterance(io, kOmniFinal, said)) return;
  turn_text_.Clear();
  identified_ = {};
}

double CallerSide::SpeechEnd(const vad::Utterance& span) {
  const double now_s = stream_.audio().seconds();
  const std::span<const float> sound = stream_.Recent(now_s - span.start_s);
  const auto behind = static_cast<size_t>(std::max(0.0, now_s - span.end_s) * hear::HearAudio::kRate);
  const double quiet_s = SecondsSinceSpeech(sound.first(sound.size() - std::min(behind, sound.size())));
  return std::max(span.end_s - quiet_s, span.speech_end_s - kMostBreathS);
}

double CallerSide::StartMs(double start_s) const {
  return turn_text_.empty() ? MediaMs(start_s) : turn_text_.start_ms();
}

double CallerSide::MediaMs(double stream_s) const {
  return std::max(0.0, newest_ms_ - (stream_.audio().seconds() - stream_s) * 1000);
}

}  // namespace trunkline::omni
