#include "engine/omni_lane.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsp/convert.h"
#include "engine/barge_judge.h"
#include "engine/caller_line.h"
#include "engine/earlier_words.h"
#include "engine/hear_group.h"
#include "engine/hear_options.h"
#include "engine/hear_stream.h"
#include "engine/omni_records.h"
#include "engine/omni_voice.h"
#include "engine/omni_words.h"
#include "engine/playout.h"
#include "engine/speech_end.h"
#include "engine/synthesize_job.h"
#include "text/listening_words.h"

namespace trunkline::engine {
namespace {

using base::AsBytes;

// Thousandths of a core for a call in which the agent speaks a third of the time: what four at once took of
// two cores in bench/omni.
constexpr uint32_t kCost = 400;
constexpr double kTickMs = 10;
// Of the endpointing asked for. The answer is thought of and spoken meanwhile, so that a wait shorter than
// that would gain nothing and cut off a caller who only takes a breath.
constexpr double kLeastWait = 0.64, kMostWait = 1.6;
// Under the agent's voice an utterance is a caller's when this much of it was speech above the echo.
constexpr float kSpeech = 0.35f;
constexpr int kLeastCallerMs = 80;
// Whatever its final words are, what surely sounded like a sign of listening is one if it is short.
constexpr double kShortS = 0.9;
// When no frame is expected any more: a network that holds one up for so long is rare, a client that sends
// nothing while its microphone is closed is not.
constexpr int kStoppedTicks = 50;
// What is told once, as that a speech was cut, must find room where sound does not: when nobody takes what
// the lane says, sound waits, and the call is ended before this is full.
constexpr size_t kRoomForEvents = 48 * 1024;
// A suspected sound is held against what was played so often.
constexpr int64_t kCompareMs = 40;
// What comes at once is taken a half of a second at a time, so that no other call waits for it.
constexpr size_t kMostTaken = 2;
// The words under the agent's voice are looked at from a little before the first loud moment.
constexpr double kBeforeOnsetS = 0.1;
// What the detector of speech hears for longer than this behind the last clear sound is soft speech.
constexpr double kMostBreathS = 0.5;

struct OmniOptions {
  HearOptions hear;
  BargeOptions barge;
  tts::VoiceSpec voice;
};

BargeOptions ReadBarge(const Options& options) {
  if (options.Has("barge_dbfs")) return BargeGate(static_cast<float>(options.Number("barge_dbfs", -42)));
  const std::string_view name = options.Text("barge");
  if (name == "high") return BargeHigh();
  if (name == "low") return BargeLow();
  return BargeNormal();
}

class OmniLane final : public Lane, public HearListener, private PlayoutSink {
 public:
  OmniLane(const OmniOptions& options, std::shared_ptr<HearModels> hear,
           std::shared_ptr<tts::SpeechModels> speech)
      : models_(hear),
        rate_(options.hear.rate),
        wait_ms_(options.hear.endpointing_s * options.hear.most_wait * 1000),
        language_(options.hear.language.value_or(asr::Language::kEn)),
        voice_spec_(options.voice),
        stream_(options.hear, hear, *this),
        line_(options.hear.rate),
        judge_(options.barge),
        words_(hear, judge_),
        playout_({.rate = options.hear.rate}),
        voice_(std::move(speech), playout_, options.hear.rate, options.hear.seed),
        records_(options.hear.rate) {
    voice_.ExpectFirst(voice_spec_);
    silence_.resize(static_cast<size_t>(rate_ / 100));
  }

  void Tick(LaneIo&) override {}  // its group ticks it
  void CancelTasks() override {
    stream_.CancelTasks();
    voice_.CancelTasks();
    if (words_.in_flight()) words_.Cancel();
  }
  HearStream& stream() { return stream_; }
  const std::shared_ptr<onnx::Session>& voice_activity() const { return models_->voice_activity(); }

  void TakeInput(LaneIo& io) {
    io_ = &io;
    Input input;
    taken_samples_ = 0;
    while (!closing_ && taken_samples_ < static_cast<size_t>(rate_) / kMostTaken && io.Next(input)) {
      if (input.kind == InputKind::kClose) {
        closing_ = true;
      } else if (input.kind == InputKind::kControl) {
        Control(io, input);
      } else if (!TakeAudio(input.bytes)) {
        io.Unread();
        return;
      }
    }
    TakeSilence();
  }

  // After the frames of this tick were heard.
  void Finish(LaneIo& io) {
    io_ = &io;
    stream_.Work(io);
    Judge(io);
    voice_.Work(io);
    TellFailure(io);
    TellEarlier(io);
    playout_.CallerSpeaks(stream_.speaking());
    playout_.Tick(Clock(io), *this);
    if (closing_) io.Finish(base::Code::kOk);
  }

  void Started(LaneIo& io, uint32_t, double start_s) override {
    overlapped_ = playout_.playing();
    caller_ms_ = 0;
    records_.SpeechStart(io, MediaMs(start_s));
  }

  void Partial(LaneIo& io, uint32_t utterance, double, double, const std::string& text) override {
    if (!overlapped_) records_.Partial(io, utterance, earlier_.With(text));
  }

  bool Stable(LaneIo&, uint32_t, double, double, const std::string&) override { return true; }

  void Guessed(LaneIo& io, uint32_t utterance, double start_s, double end_s,
               const std::string& text) override {
    if (overlapped_) return;
    const OmniUtterance guess{utterance, StartMs(start_s), MediaMs(end_s), NowMs(io), 0, earlier_.With(text)};
    eager_ = records_.Utterance(io, kOmniEager, guess);
  }

  void Resumed(LaneIo& io, uint32_t utterance) override {
    if (!eager_) return;
    eager_ = false;
    records_.Continued(io, utterance);
  }

  bool SpeechFinal(LaneIo& io, uint32_t, const vad::Utterance& span, const std::string&, bool) override {
    endpoint_ms_ = NowMs(io);
    said_to_ms_ = MediaMs(SpeechEnd(span));
    return true;
  }

  bool Final(LaneIo& io, uint32_t utterance, const vad::Utterance& span,
             const asr::Transcript& transcript) override {
    const bool listening =
        text::ListenTo(transcript.text, asr::CodeOf(language_)) != text::Utterance::kSaying ||
        SoundedLikeListening(span);
    // Words that the caller's line only gave back are nobody's.
    const bool echo = overlapped_ && caller_ms_ < kLeastCallerMs;
    const std::string_view text = echo ? std::string_view() : transcript.text;
    if (span.reason == vad::EndReason::kMaxUtterance &&
        earlier_.Take(text, MediaMs(span.start_s), MediaMs(span.speech_end_s))) {
      if (overlapped_) CutNow(io, 0);
      eager_ = false;
      return true;
    }
    const bool backchannel = overlapped_ && listening && earlier_.empty();
    return Close(io, backchannel ? kOmniBackchannel : kOmniFinal, utterance, span, NowMs(io) - endpoint_ms_,
                 text);
  }

  // The utterance is lost, the call goes on: the caller is asked to say it again. What was let pass under the
  // agent's voice has taken no turn, and is like one without words; of a long turn the rest is answered.
  bool Failed(LaneIo& io, uint32_t utterance, const vad::Utterance& span,
              const base::Status& status) override {
    if (span.reason == vad::EndReason::kMaxUtterance && stream_.speaking()) return true;
    if (overlapped_ || !earlier_.empty()) return Close(io, kOmniFinal, utterance, span, 0, {});
    return Close(io, kOmniLost, utterance, span, NowMs(io) - endpoint_ms_, status.message());
  }

 private:
  // -- the caller

  bool Close(LaneIo& io, uint16_t type, uint32_t utterance, const vad::Utterance& span, double asr_ms,
             std::string_view text) {
    const double end_ms = text.empty() && !earlier_.empty() ? earlier_.end_ms() : said_to_ms_;
    const OmniUtterance said{utterance, StartMs(span.start_s), end_ms, endpoint_ms_,
                             asr_ms,    earlier_.With(text)};
    if (!records_.Utterance(io, type, said)) return false;
    earlier_.Clear();
    overlapped_ = eager_ = false;
    return true;
  }

  // By its level, where the detector of speech took a breath behind it, or the room, for speech too.
  double SpeechEnd(const vad::Utterance& span) {
    const std::span<const float> sound = stream_.Recent(stream_.seconds() - span.start_s);
    const auto behind = static_cast<size_t>(std::max(0.0, stream_.seconds() - span.end_s) * 16000);
    const double quiet_s = SecondsSinceSpeech(sound.first(sound.size() - std::min(behind, sound.size())));
    return std::max(span.end_s - quiet_s, span.speech_end_s - kMostBreathS);
  }

  // The judge let the utterance pass by its sound, and nothing came after.
  bool SoundedLikeListening(const vad::Utterance& span) {
    return words_.surely_listening() && onset_s_ >= span.start_s && onset_s_ <= span.speech_end_s &&
           span.speech_end_s - onset_s_ <= kShortS;
  }

  // Who sends nothing for a while is silent, and was from then on.
  void TakeSilence() {
    const int stopped = line_.late_ticks();
    if (stopped < kStoppedTicks) return;
    for (; silent_ticks_ < stopped; ++silent_ticks_) {
      if (!stream_.Push(silence_)) return;
      line_.TakeSilence(silence_.size());
      newest_ms_ = NowMs(*io_);
    }
  }

  bool TakeAudio(base::ByteView bytes) {
    dsp::FromWire(bytes, aligned_);
    if (!stream_.takes()) return false;
    silent_ticks_ = 0;
    taken_samples_ += aligned_.size();
    newest_ms_ = NowMs(*io_);
    return stream_.Push(line_.Take(aligned_, Clock(*io_), playout_));
  }

  // By the line's own time, through all that has come; no further while words are waited for than time does.
  void Judge(LaneIo& io) {
    line_.Tick(playout_.sounding_dbfs(Clock(io)));
    // What the voice detector is still to hear waits for it.
    const double until_s = stream_.ready() ? stream_.heard_s() + vad::kFrameSeconds : stream_.seconds() + 1;
    for (;;) {
      const bool moved = line_.Step(until_s);
      JudgeSound(io, moved);
      if (!moved || !line_.behind() || judge_.asking()) return;
    }
  }

  // Where the line stands still, what was asked may have been answered.
  void JudgeSound(LaneIo& io, bool moved) {
    if (!judge_.suspecting()) {
      line_.ForgetCompared();
    } else if (moved && line_.now_ms() % kCompareMs == 0 && line_.Compare(playout_)) {
      caller_ms_ = 0;  // what was taken for a caller's was none of theirs
    }
    const auto reached = static_cast<uint64_t>(line_.reached_s() / vad::kFrameSeconds + 1e-6);
    const uint64_t frames = std::min(stream_.frames(), reached);
    const BargeSound sound{line_.level_dbfs(), frames, stream_.probability(frames), line_.echo_dbfs(),
                           line_.echo()};
    // The echo goes on for a moment after the agent has stopped.
    const bool above = playout_.playing() ? judge_.Audible(sound) && !sound.echo
                                          : sound.level_dbfs >= sound.echo_dbfs + kAboveEchoDb;
    if (moved && above && sound.probability >= kSpeech) caller_ms_ += static_cast<int>(kTickMs);
    const uint32_t before = judge_.suspicion();
    const BargeStep step = judge_.Tick(line_.now_ms(), sound, playout_.playing());
    if (judge_.suspicion() != before) onset_s_ = line_.reached_s() - SinceOnset();
    if (step.duck) {
      playout_.Duck();
      records_.Duck(io, true, NowMs(io));
    }
    if (step.ask_words) patience_ = step.patience;
    Look(io);
    if (step.resume) {
      playout_.Resume();
      records_.Duck(io, false, NowMs(io));
    }
    if (step.cut) CutNow(io, 0);
  }

  // A look that can't be taken yet, because one at an older sound is still on its way, is taken after it.
  void Look(LaneIo& io) {
    if (!patience_ || words_.in_flight()) return;
    const float patience = *std::exchange(patience_, std::nullopt);
    if (!judge_.asking()) return;
    const double since_s = stream_.seconds() - line_.reached_s() + SinceOnset() + kBeforeOnsetS;
    words_.Prepare(stream_.Recent(since_s), language_, judge_.suspicion(), patience);
    if (!io.Submit(words_, Priority::kCut, io.now() + 60 * base::kNanosPerMilli)) patience_ = patience;
  }

  double SinceOnset() const { return static_cast<double>(line_.now_ms() - judge_.onset_ms()) / 1000; }

  // -- the agent

  void Control(LaneIo& io, const Input& input) {
    base::ByteReader reader(input.bytes);
    switch (input.verb) {
      case kOmniSpeak:
        Speak(input.bytes);
        return;
      case kOmniFinish:
        voice_.Finish(reader.Read<uint32_t>());
        return;
      case kOmniRelease:
        voice_.Release(reader.Read<uint32_t>());
        return;
      case kOmniDiscard:
        voice_.Discard(reader.Read<uint32_t>());
        return;
      case kOmniCut:
        CutNow(io, 1);
        return;
      case kOmniVoice:
        if (const auto options = Options::Parse(input.bytes); options.ok()) {
          if (auto voice = ReadVoice(options.value()); voice.ok()) voice_spec_ = std::move(voice).value();
          voice_.Expect(voice_spec_);
        }
        return;
      case kOmniLanguage:
        if (const auto options = Options::Parse(input.bytes); options.ok()) {
          language_ = ReadLanguage(options.value()).value_or(language_);
          stream_.SetLanguage(language_);
        }
        return;
      default:
        return;
    }
  }

  void Speak(base::ByteView bytes) {
    const auto options = Options::Parse(bytes);
    if (!options.ok()) return;
    SegmentText segment;
    segment.speech = static_cast<uint32_t>(options.value().Integer("speech", 0, 0, UINT32_MAX));
    // It was sent before it was known that its speech was cut.
    if (cut_speech_ && segment.speech <= *cut_speech_) return;
    segment.segment = static_cast<uint32_t>(options.value().Integer("segment", 0, 0, UINT32_MAX));
    segment.held = options.value().Flag("held");
    segment.yields = options.value().Flag("yields");
    segment.text = std::string(options.value().Text("text"));
    segment.voice = voice_spec_;
    voice_.Speak(std::move(segment));
  }

  void CutNow(LaneIo& io, uint32_t reason) {
    const auto played = playout_.Cut(Clock(io), *this);
    overlapped_ = false;
    // The speech had just ended, and is told of as played: what is to come next was not cut.
    if (played.empty()) return;
    cut_speech_ = played[0].speech;
    voice_.Clear();
    records_.Cut(io, reason, played);
  }

  // The utterance was cut for its length, and nothing followed.
  void TellEarlier(LaneIo& io) {
    if (earlier_.empty() || stream_.speaking() || !stream_.told()) return;
    const double now_ms = NowMs(io);
    if (now_ms - earlier_.end_ms() < wait_ms_) return;
    const OmniUtterance said{0, earlier_.start_ms(), earlier_.end_ms(), now_ms, 0, earlier_.With({})};
    if (records_.Utterance(io, kOmniFinal, said)) earlier_.Clear();
  }

  void TellFailure(LaneIo& io) {
    uint32_t speech = 0;
    std::string message;
    if (voice_.TakeFailure(speech, message)) records_.SpeechFailed(io, speech, message);
  }

  bool Frame(std::span<const int16_t> samples) override {
    return io_->WriteSparing(kAudioEvent, AsBytes(samples), kRoomForEvents);
  }

  void Playing(uint32_t speech, uint32_t segment, uint64_t clock) override {
    records_.Playing(*io_, speech, segment, clock);
  }

  void SpeechPlayed(uint32_t speech, std::span<const PlayedSegment> segments) override {
    records_.Played(*io_, speech, segments);
  }

  // -- time

  // The media clock begins with the lane's first tick.
  uint64_t Ticks(LaneIo& io) {
    if (!first_tick_) first_tick_ = io.tick();
    return io.tick() - *first_tick_;
  }
  uint64_t Clock(LaneIo& io) { return Ticks(io) * static_cast<uint64_t>(rate_) / 100; }
  double NowMs(LaneIo& io) { return static_cast<double>(Ticks(io)) * kTickMs; }
  double StartMs(double start_s) { return earlier_.empty() ? MediaMs(start_s) : earlier_.start_ms(); }
  // A moment of the caller's stream.
  double MediaMs(double stream_s) const {
    return std::max(0.0, newest_ms_ - (stream_.seconds() - stream_s) * 1000);
  }

  const std::shared_ptr<HearModels> models_;
  const int rate_;
  const double wait_ms_;  // at most, at the end of speech
  asr::Language language_;
  tts::VoiceSpec voice_spec_;
  HearStream stream_;
  CallerLine line_;
  BargeJudge judge_;
  WordsTask words_;
  std::optional<float> patience_;  // of the look that is wanted
  Playout playout_;
  OmniVoice voice_;
  OmniRecords records_;
  EarlierWords earlier_;
  std::vector<int16_t> aligned_, silence_;
  LaneIo* io_ = nullptr;
  std::optional<uint64_t> first_tick_;
  int silent_ticks_ = 0;      // given to the stream since the newest frame
  size_t taken_samples_ = 0;  // in this tick
  double newest_ms_ = 0;      // when the newest sample of the stream came
  double onset_s_ = 0;        // in the stream, of the sound that was suspected last
  double endpoint_ms_ = 0;
  double said_to_ms_ = 0;    // what the last utterance that ended said
  bool overlapped_ = false;  // the utterance began under the agent's voice and has not interrupted it
  int caller_ms_ = 0;        // of it that was a caller's, and not the agent's echo
  bool eager_ = false;
  bool closing_ = false;
  std::optional<uint32_t> cut_speech_;  // the newest; later ones have higher numbers
};

class OmniKind final : public LaneKind {
 public:
  std::string name() const override { return "omni"; }

  base::Status Prepare(Services& services) override {
    // Speech first: another thread opens the models of recognition at this moment, for the kind before.
    TRUNKLINE_ASSIGN_OR_RETURN(speech_, SpeechService::Open(services));
    TRUNKLINE_ASSIGN_OR_RETURN(hear_, HearModels::Open(services));
    return base::Ok();
  }

  uint32_t cost() const override { return kCost; }

  LaneShape shape() const override {
    return {
        .input_bytes = 512 * 1024,
        .outbox = {.ring_bytes = 256 * 1024, .mailboxes = OmniRecords::kMailboxes, .mailbox_bytes = 8192}};
  }

  base::Result<std::unique_ptr<Lane>> Open(const Options& options) override {
    OmniOptions omni;
    TRUNKLINE_ASSIGN_OR_RETURN(omni.hear, ReadHearOptions(options, hear_->whisper()->tokens()));
    TRUNKLINE_ASSIGN_OR_RETURN(omni.voice, ReadVoice(options));
    omni.hear.least_wait = kLeastWait;
    omni.hear.most_wait = kMostWait;
    omni.hear.undecided = 0;
    omni.hear.eager = true;
    omni.hear.word_times = false;
    omni.barge = ReadBarge(options);
    return std::unique_ptr<Lane>(std::make_unique<OmniLane>(omni, hear_, speech_));
  }

  std::unique_ptr<LaneGroup> MakeGroup() override { return std::make_unique<HearGroup<OmniLane>>(); }

 private:
  std::shared_ptr<HearModels> hear_;
  std::shared_ptr<tts::SpeechModels> speech_;
};

}  // namespace

std::shared_ptr<LaneKind> MakeOmniKind() {
  return std::make_shared<OmniKind>();
}

}  // namespace trunkline::engine
