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
constexpr int kMinCallerMs = 80;
// No frame is expected any more after this many ticks: networks rarely hold frames up that long, while
// clients with a muted microphone send nothing.
constexpr int kStoppedTicks = 50;
// Speech that the voice detector reports for longer than this after the last clear sound is soft speech.
constexpr double kMaxBreathS = 0.5;
// Speech that the gate holds back is compared with the caller's voice once it has lasted for this, and again after
// as much more.
constexpr int kCheckedMs = 1000;
// A sound that may interrupt is compared with the known others once it has lasted for this: the decision comes 360 ms
// after its onset, and the vector of so short a sound takes 20 ms.
constexpr double kBeginsS = 0.26, kVoiceBeforeOnsetS = 0.05;
// A final waits at most this long for the voice of a quiet utterance.
constexpr double kMaxVoiceMs = 150;
constexpr int64_t kVoiceDeadline = 100 * base::kNanosPerMilli;
constexpr size_t kMaxFrames = 1024;
// A voice's vector is that of its loudest frames, so many where there are, and of kAround frames on either side of each:
// what lies between may be another's, who speaks behind the caller without a pause.
constexpr size_t kAround = 1, kFrameSamples = 512, kEnough = 48;

uint32_t Words(std::string_view text) {
  uint32_t words = 0;
  bool inside = false;
  for (const char c : text) {
    words += c != ' ' && !inside ? 1 : 0;
    inside = c != ' ';
  }
  return words;
}

}  // namespace

CallerSide::CallerSide(const hear::HearOptions& hear, const BargeInOptions& barge, bool lock,
                       const OmniModels& models, MediaTime& time, OmniEventWriter& events, AgentSide& agent,
                       WireCodec codec)
    : models_(models.hear),
      wait_ms_(hear.endpointing_s * hear.waits.front().share * 1000),
      codec_(codec),
      time_(time),
      events_(events),
      agent_(agent),
      language_(hear.language.value_or(asr::Language::kEn)),
      stream_(hear, models.hear, *this),
      watch_(barge, models, time, agent),
      lock_(lock && models.voices != nullptr) {
  if (lock && models.voices != nullptr) {
    voice_ = std::make_unique<VoiceVectorTask>(models.voices, [this] { OnVoiceVector(); });
    frames_.reserve(kMaxFrames);
    levels_.reserve(kMaxFrames);
    voiced_.reserve(VoiceVectorTask::kMaxSamples);
  }
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
  if (voice_) CheckVoice(io);
  if (watch_.Work(io, stream_, language_)) AgentInterrupted();
}

void CallerSide::AgentInterrupted() {
  if (turn_ == Turn::kAgents) turn_ = Turn::kCallers;
}

void CallerSide::CancelTasks() {
  stream_.CancelTasks();
  watch_.CancelTasks();
  if (voice_ && voice_->in_flight()) voice_->Cancel();
}

void CallerSide::Started(engine::LaneIo& io, uint32_t, double start_s) {
  began_under_agent_ = agent_.playing();
  turn_ = began_under_agent_ ? Turn::kAgents : Turn::kCallers;
  watch_.BeginUtterance();
  utterance_start_s_ = start_s;
  checked_ms_ = 0;
  passed_ = false;
  events_.SpeechStart(io, MediaMs(start_s));
}

void CallerSide::Partial(engine::LaneIo& io, uint32_t utterance, double, double, const std::string& text) {
  if (turn_ != Turn::kAgents && !IsDoubtful()) events_.Partial(io, utterance, turn_text_.With(text));
}

void CallerSide::EagerFinal(engine::LaneIo& io, uint32_t utterance, double start_s, double end_s,
                            const std::string& text) {
  if (turn_ == Turn::kAgents || IsDoubtful()) return;
  const OmniUtterance eager{
      utterance, StartMs(start_s), MediaMs(end_s), time_.NowMs(io), 0, turn_text_.With(text), {}};
  turn_ = events_.Utterance(io, kOmniEager, eager) ? Turn::kEagerEnd : Turn::kCallers;
}

void CallerSide::Resumed(engine::LaneIo& io, uint32_t utterance) {
  if (turn_ != Turn::kEagerEnd) return;
  turn_ = Turn::kCallers;
  events_.Continued(io, utterance);
}

bool CallerSide::SpeechFinal(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                             const std::string&, bool) {
  ended_ = {time_.NowMs(io), MediaMs(SpeechEnd(span))};
  if (!voice_) return true;
  heard_utterance_ = utterance;
  utterance_voice_ = Measure(span.start_s, span.end_s);
  utterance_voice_.under_agent = began_under_agent_;
  if (lock_.NeedsVector(utterance_voice_)) {
    AskForVoice(io, Ask::kWhose, span.start_s, span.end_s);
  } else if (!utterance_voice_.under_agent && utterance_voice_.speech_s >= SpeakerLock::kMinVoiceS) {
    AskForVoice(io, Ask::kLearn, span.start_s, span.end_s);
  }
  return true;
}

bool CallerSide::Final(engine::LaneIo& io, uint32_t utterance, const vad::Utterance& span,
                       const asr::Transcript& transcript) {
  const bool overlapped = turn_ == Turn::kAgents;
  const std::optional<bool> callers = IsCallers(io, utterance);
  if (!callers) return false;
  const bool echo = overlapped && watch_.caller_ms() < kMinCallerMs;
  const std::string_view text = echo || !*callers ? std::string_view() : transcript.text;
  if (!*callers && turn_ == Turn::kEagerEnd) Resumed(io, utterance);
  if (transcript.language_odds > 0 && !text.empty()) {
    identified_ = {static_cast<uint32_t>(transcript.language), transcript.language_odds,
                   (span.speech_end_s - span.start_s) * 1000};
  }
  if (*callers && span.reason == vad::EndReason::kMaxUtterance && Join(io, span, text)) return true;
  const bool listening =
      text::ClassifyUtterance(transcript.text, asr::CodeOf(language_)) != text::Utterance::kTurn ||
      watch_.SoundedLikeBackchannel(span);
  const bool backchannel = overlapped && listening && turn_text_.empty();
  const double start_ms = StartMs(span.start_s);
  if (!Close(io, backchannel ? kOmniBackchannel : kOmniFinal, utterance, span, time_.NowMs(io) - ended_.at_ms,
             text)) {
    return false;
  }
  if (!*callers) events_.LeftOut(io, utterance, Words(transcript.text), start_ms, ended_.said_to_ms);
  return true;
}

// The utterance was split for its length; its text waits for the rest of the turn.
bool CallerSide::Join(engine::LaneIo& io, const vad::Utterance& span, std::string_view text) {
  if (!turn_text_.Take(text, MediaMs(span.start_s), MediaMs(span.speech_end_s))) return false;
  if (turn_ == Turn::kAgents) agent_.Interrupt(io, InterruptionReason::kBargeIn);
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
  if (!events_.Utterance(io, type, said)) return false;
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
  if (!events_.Utterance(io, kOmniFinal, said)) return;
  turn_text_.Clear();
  identified_ = {};
}

double CallerSide::SpeechEnd(const vad::Utterance& span) {
  const double now_s = stream_.audio().seconds();
  const std::span<const float> sound = stream_.Recent(now_s - span.start_s);
  const auto behind = static_cast<size_t>(std::max(0.0, now_s - span.end_s) * hear::HearAudio::kRate);
  const double quiet_s = SecondsSinceSpeech(sound.first(sound.size() - std::min(behind, sound.size())));
  return std::max(span.end_s - quiet_s, span.speech_end_s - kMaxBreathS);
}

UtteranceVoice CallerSide::Measure(double start_s, double end_s) {
  const auto first = static_cast<uint64_t>(start_s / vad::kFrameSeconds);
  stream_.audio().FramesSince(first, frames_);
  const auto count = static_cast<size_t>(std::max(0.0, end_s - start_s) / vad::kFrameSeconds);
  levels_.clear();
  for (size_t i = 0; i < std::min(count, frames_.size()); ++i) {
    if (frames_[i].speech >= base::kSpeechStartProbability) levels_.push_back(frames_[i].level_db);
  }
  UtteranceVoice voice;
  if (levels_.empty()) return voice;
  voice.speech_s = static_cast<double>(levels_.size()) * vad::kFrameSeconds;
  const auto loud = levels_.begin() + static_cast<ptrdiff_t>(levels_.size() * 9 / 10);
  std::nth_element(levels_.begin(), loud, levels_.end());
  voice.loud_dbfs = *loud;
  return voice;
}

void CallerSide::AskForVoice(engine::LaneIo& io, Ask ask, double start_s, double end_s) {
  if (voice_->in_flight()) return;
  voice_->Prepare(ask == Ask::kBegins ? stream_.audio().Range(start_s, end_s) : LouderSpeech(start_s, end_s));
  const auto priority = ask == Ask::kLearn ? engine::Priority::kAudio : engine::Priority::kTurnTaking;
  if (!io.Submit(*voice_, priority, io.now() + kVoiceDeadline)) return;
  ask_ = ask;
  asked_utterance_ = heard_utterance_;
}

std::span<const float> CallerSide::LouderSpeech(double start_s, double end_s) {
  const float loud_dbfs = Measure(start_s, end_s).loud_dbfs;
  const auto first = static_cast<uint64_t>(start_s / vad::kFrameSeconds);
  const auto wanted = static_cast<size_t>(std::max(0.0, end_s - start_s) / vad::kFrameSeconds);
  const size_t count = std::min(frames_.size(), wanted);
  const auto is_loud = [&](size_t at, float min_dbfs) {
    for (size_t i = at < kAround ? 0 : at - kAround; i <= at + kAround && i < count; ++i) {
      if (frames_[i].level_db >= min_dbfs) return true;
    }
    return false;
  };
  constexpr size_t kMost = VoiceVectorTask::kMaxSamples / kFrameSamples;
  float min_dbfs = loud_dbfs - SpeakerLock::kQuieterDb;
  for (float louder_dbfs = min_dbfs + 1; louder_dbfs <= loud_dbfs; ++louder_dbfs) {
    size_t frames = 0;
    for (size_t i = 0; i < count; ++i) frames += is_loud(i, louder_dbfs) ? 1 : 0;
    if (frames < kEnough) break;
    min_dbfs = louder_dbfs;
  }
  size_t from = count;
  for (size_t left = kMost; from > 0 && left > 0; --from) left -= is_loud(from - 1, min_dbfs) ? 1 : 0;
  voiced_.clear();
  for (size_t i = from; i < count; ++i) {
    if (!is_loud(i, min_dbfs)) continue;
    const double at_s = static_cast<double>(first + i) * vad::kFrameSeconds;
    const auto frame = stream_.audio().Range(at_s, at_s + vad::kFrameSeconds);
    voiced_.insert(voiced_.end(), frame.begin(), frame.end());
  }
  return voiced_;
}

void CallerSide::OnVoiceVector() {
  const Ask ask = std::exchange(ask_, Ask::kNothing);
  const std::optional<VoiceVector>& vector = voice_->vector();
  if (!vector) return;
  const double voiced_s = static_cast<double>(voiced_.size()) / hear::HearAudio::kRate;
  if (ask == Ask::kGoesOn) {
    UtteranceVoice voice = Measure(utterance_start_s_, stream_.audio().seconds());
    voice.under_agent = began_under_agent_;
    voice.vector = vector;
    voice.vector_s = voiced_s;
    watch_.gate().Known(lock_.IsCallers(voice));
  } else if (ask == Ask::kBegins) {
    if (lock_.IsKnownOthers(*vector)) watch_.gate().Known(false);
  } else if (asked_utterance_ == heard_utterance_) {
    utterance_voice_.vector = vector;
    utterance_voice_.vector_s = voiced_s;
    if (decided_utterance_ == heard_utterance_) lock_.Learn(utterance_voice_);
  }
}

void CallerSide::CheckVoice(engine::LaneIo& io) {
  SoundGate& gate = watch_.gate();
  gate.Set(lock_.gate());
  stream_.SetSpeechFloor(lock_.hears_others() ? std::optional(lock_.gate()->loud_dbfs) : std::nullopt);
  if (!gate.holds_back()) passed_ = true;
  if (!stream_.speaking() || !agent_.playing()) return;
  const double now_s = stream_.audio().seconds();
  if (const auto onset_s = watch_.suspected_s(); onset_s && lock_.knows_others()) {
    if (watch_.suspicion() == checked_suspicion_ || now_s - *onset_s < kBeginsS) return;
    checked_suspicion_ = watch_.suspicion();
    AskForVoice(io, Ask::kBegins, *onset_s - kVoiceBeforeOnsetS, now_s);
  } else if (gate.holds_back() && watch_.caller_ms() - checked_ms_ >= kCheckedMs) {
    checked_ms_ = watch_.caller_ms();
    AskForVoice(io, Ask::kGoesOn, utterance_start_s_, now_s);
  }
}

std::optional<bool> CallerSide::IsCallers(engine::LaneIo& io, uint32_t utterance) {
  if (!voice_) return true;
  if (utterance == decided_utterance_) return is_callers_;
  const bool waits = ask_ == Ask::kWhose && time_.NowMs(io) - ended_.at_ms < kMaxVoiceMs;
  if (waits) return std::nullopt;
  decided_utterance_ = utterance;
  is_callers_ = lock_.Take(utterance_voice_);
  return is_callers_;
}

double CallerSide::StartMs(double start_s) const {
  return turn_text_.empty() ? MediaMs(start_s) : turn_text_.start_ms();
}

double CallerSide::MediaMs(double stream_s) const {
  return std::max(0.0, newest_ms_ - (stream_.audio().seconds() - stream_s) * 1000);
}

}  // namespace trunkline::omni
