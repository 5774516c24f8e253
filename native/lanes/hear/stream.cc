#include "lanes/hear/stream.h"

#include <algorithm>

namespace trunkline::hear {
namespace {

using State = FinalTask::State;

// An utterance without a pause is split a little before the cap, between words of a text whose decoding began
// early enough (docs/decisions/087).
constexpr double kSplitS = 12.0, kLatestSplitS = 14.5;
// Unbroken speech gets stable words this often, and none after kLastStabilizeS: later ones would leave no choice of
// where to split. Those before the split become stable when it is known. A text that brought none is followed by another
// after kStabilizeAgainS.
constexpr double kStabilizeEveryS = 4.0, kStabilizeAgainS = 1.0, kLastStabilizeS = 10.0;
constexpr double kTurnS = 8;
// The second pass over an utterance hears this much of the silence after it, or more, and begins as late as it can be
// there before the end. It is left out where the first pass took longer than kMaxFirstPassS, and while the open lanes
// take more of the machine than kMaxSecondPassLoad: a second pass costs a stream as much again as its finals do.
constexpr double kMinAfterS = 0.13, kMaxFirstPassS = 0.3, kSecondPassMarginS = 0.03;
constexpr float kMaxSecondPassLoad = 0.6f;

constexpr int64_t kMillis = base::kNanosPerMilli;
constexpr int64_t kTurnDeadline = 60 * kMillis, kFinalDeadline = 120 * kMillis;
constexpr int64_t kStabilizeDeadline = 300 * kMillis;
// Quieter syllables of the caller follow louder ones within this time.
constexpr double kFloorHoldS = 0.3;

}  // namespace

HearStream::HearStream(const HearOptions& options, std::shared_ptr<HearModels> models, HearListener& listener)
    : options_(options),
      models_(std::move(models)),
      listener_(listener),
      audio_(options.rate),
      endpointer_({.endpointing_s = options.endpointing_s, .waits = options.waits}),
      turn_(*this, *models_),
      partials_(*this, options_, *models_) {
  for (auto& task : finals_) {
    task = std::make_unique<FinalTask>(*this, *models_);
    task->shown.reserve(kPrefixBytes);
  }
}

bool HearStream::ready() const {
  // A frame may pause or end an utterance, and both need a free task. An utterance of the greatest length is
  // split first.
  return audio_.frame_waits() && can_commit() && !endpointer_.full(audio_.heard_s());
}

bool HearStream::can_commit() const {
  return std::any_of(finals_.begin(), finals_.end(),
                     [](const auto& task) { return task->state == State::kFree; });
}

void HearStream::Heard(engine::LaneIo& io, float probability) {
  audio_.Heard(probability);
  Follow(io, endpointer_.Frame(AboveFloor(probability), audio_.heard_s()));
  if (options_.final_every_s > 0 && audio_.heard_s() - final_s_ >= options_.final_every_s) EndQuiet();
}

float HearStream::AboveFloor(float probability) {
  if (!floor_dbfs_) return probability;
  const double now_s = audio_.heard_s();
  if (probability >= base::kSpeechHoldProbability && audio_.level_dbfs() >= *floor_dbfs_) loud_s_ = now_s;
  const bool was_loud = endpointer_.open() && loud_s_ > utterance_.start_s;
  return was_loud && now_s - loud_s_ > kFloorHoldS ? 0 : probability;
}

void HearStream::Follow(engine::LaneIo& io, const vad::EndpointEvents& events) {
  if (events.silence_ended) ForgetPause();
  if (events.resumed) Resumed(io);
  if (events.ended) Ended(io);
  if (events.started) Started(io);
  if (events.silence_started && options_.eager) StartEagerFinal(io);
  if (events.paused) Paused(io);
}

void HearStream::Started(engine::LaneIo& io) {
  if (options_.final_every_s > 0) quiet_number_ = ++utterance_.number;
  utterance_ = {utterance_.number + 1, endpointer_.start_s(), options_.language};
  stabilized_at_s_ = utterance_.start_s;
  partials_.Begin();
  listener_.Started(io, utterance_.number, utterance_.start_s);
}

// Work that an utterance can do without leaves a task for its end.
bool HearStream::HasSpareFinal() const {
  return std::count_if(finals_.begin(), finals_.end(),
                       [](const auto& task) { return task->state == State::kFree; }) > 1;
}

FinalTask* HearStream::FinalIn(State state) const {
  for (const auto& task : finals_) {
    if (task->state == state) return task.get();
  }
  return nullptr;
}

void HearStream::Prepare(engine::LaneIo& io, FinalTask& task, double start_s, double end_s) {
  asr::TranscribeOptions options;
  if (options_.languages == 0) {
    options.language = utterance_.language;
  } else {
    options.expected = utterance_.language;
    options.among = options_.languages;
  }
  options.temperature = options_.temperature;
  options.seed = options_.seed;
  options.vocabulary = options_.vocabulary;
  options.word_times = options_.word_times;
  task.Prepare(audio_.Range(start_s, end_s), start_s, audio_.SpeechSince(start_s), partials_.stable(),
               options, options_.recognizer, io.now());
  task.utterance_number = utterance_.number;
}

void HearStream::Submit(engine::LaneIo& io, FinalTask& task, double start_s, double end_s) {
  Prepare(io, task, start_s, end_s);
  io.Submit(task, engine::Priority::kTurnTaking, io.now() + kFinalDeadline);
}

// Until the end-of-turn model answers, the speaker is assumed to go on, so that a late answer interrupts
// no one. An answer about an earlier pause is awaited before this pause is checked.
void HearStream::Paused(engine::LaneIo& io) {
  endpointer_.Finished(endpointer_.pause(), 0.0F);
  if (!turn_.in_flight()) {
    turn_.Prepare(audio_.Range(audio_.heard_s() - kTurnS, audio_.heard_s()), endpointer_.pause());
    io.Submit(turn_, engine::Priority::kTurnTaking, io.now() + kTurnDeadline);
  }
  if (EagerFinal() == nullptr) StartEagerFinal(io);
}

void HearStream::OnEndOfTurn(engine::LaneIo& io, uint32_t pause, std::optional<float> probability) {
  if (pause != endpointer_.pause() && endpointer_.silent()) return Paused(io);
  endpointer_.Finished(pause, probability);
}

void HearStream::StartEagerFinal(engine::LaneIo& io) {
  FinalTask* task = FreeFinal();
  if (task == nullptr) return;
  task->state = State::kEager;
  is_eager_reported_ = second_pass_started_ = false;
  Submit(io, *task, endpointer_.start_s(), audio_.heard_s());
}

void HearStream::StartSecondPass(engine::LaneIo& io) {
  if (!options_.second_pass || second_pass_started_ || !endpointer_.silent()) return;
  const FinalTask* eager = EagerFinal();
  if (eager == nullptr || !eager->ready() || !eager->status().ok()) return;
  const double quiet_s = audio_.heard_s() - endpointer_.speech_end_s();
  const double latency_s = eager->latency_s(), wait_s = endpointer_.wait_s();
  if (quiet_s < kMinAfterS || quiet_s < wait_s - latency_s - kSecondPassMarginS) return;
  second_pass_started_ = true;
  if (!HasSpareFinal() || latency_s > kMaxFirstPassS || io.load() > kMaxSecondPassLoad) return;
  FinalTask* task = FreeFinal();
  task->state = State::kSecondPass;
  Prepare(io, *task, endpointer_.start_s(), audio_.heard_s());
  const auto left = static_cast<int64_t>(std::max(0.0, wait_s - quiet_s) * 1e9);
  io.Submit(*task, engine::Priority::kPartial, io.now() + left);
}

// A second pass that is not there when the utterance ends is dropped, so no final waits for it.
void HearStream::TakeSecondPass() {
  FinalTask* second = SecondPass();
  if (second == nullptr || !second->ready()) return;
  FinalTask* eager = EagerFinal();
  if (eager == nullptr || !second->status().ok() || second->transcript().text.empty()) return Forget(second);
  is_eager_reported_ = second->transcript().text == eager->transcript().text;
  Forget(eager);
  second->state = State::kEager;
}

// Drops what was recognized at a pause.
void HearStream::ForgetPause() {
  Forget(EagerFinal());
  Forget(SecondPass());
}

void HearStream::Resumed(engine::LaneIo& io) {
  ForgetPause();
  listener_.Resumed(io, utterance_.number);
}

// Orders a text of all that was said, whose words before a gap near its end become stable or a final.
void HearStream::StartSplitText(engine::LaneIo& io) {
  if (!endpointer_.open() || endpointer_.silent() || SplitFinal() != nullptr) return;
  const double start_s = endpointer_.start_s(), heard_s = audio_.heard_s();
  const bool splits = heard_s - start_s >= kSplitS;
  const bool stabilizes = options_.stable_partials && heard_s - stabilized_at_s_ >= kStabilizeEveryS &&
                          heard_s - start_s <= kLastStabilizeS && StabilizingFinal() == nullptr &&
                          EagerFinal() == nullptr && HasSpareFinal();
  FinalTask* task = FreeFinal();
  if (!(splits || stabilizes) || task == nullptr) return;
  if (splits) Forget(StabilizingFinal());
  task->state = splits ? State::kSplit : State::kStabilize;
  stabilized_at_s_ = heard_s;
  Prepare(io, *task, start_s, heard_s);
  const auto first = static_cast<uint64_t>(start_s / vad::kFrameSeconds);
  audio_.FramesSince(first, task->frames());
  task->PrepareSplit(static_cast<double>(first) * vad::kFrameSeconds);
  if (splits) {
    io.Submit(*task, engine::Priority::kTurnTaking, io.now() + kFinalDeadline);
  } else {
    io.Submit(*task, engine::Priority::kPartial, io.now() + kStabilizeDeadline);
  }
}

// Words do not become stable while a final is decoded without them. Those before a split are there before the final.
void HearStream::StabilizeWords() {
  if (!options_.stable_partials || EagerFinal() != nullptr) return;
  FinalTask* stabilizing = StabilizingFinal();
  const FinalTask* task = stabilizing != nullptr ? stabilizing : SplitFinal();
  if (task == nullptr || !task->ready()) return;
  if (task->status().ok() && task->stable_text().size() > partials_.stable().size()) {
    if (!utterance_.language) utterance_.language = task->transcript().language;
    partials_.SetStable(task->stable_text(), task->stable_to_s());
  } else if (stabilizing != nullptr) {
    stabilized_at_s_ -= kStabilizeEveryS - kStabilizeAgainS;
  }
  Forget(stabilizing);
}

// A pause may be the end, so the utterance is not split there.
void HearStream::SplitAtSplitPoint(engine::LaneIo& io) {
  FinalTask* split = SplitFinal();
  if (split == nullptr || !split->ready() || endpointer_.silent()) return;
  if (audio_.heard_s() - endpointer_.start_s() < kLatestSplitS) return;
  const vad::EndpointEvents events = endpointer_.SplitAt(split->end_s());
  // A text begun at the first quiet frame also covers the part that was split off.
  ForgetPause();
  Close(*split);
  // The finals of ended utterances go out before the next one begins.
  ReportFinals(io);
  if (events.started) Started(io);
}

void HearStream::Forget(FinalTask* task) {
  if (task == nullptr) return;
  task->state = task->in_flight() ? State::kVoid : State::kFree;
  if (task->in_flight()) task->Cancel();
}

void HearStream::Ended(engine::LaneIo& io) {
  Forget(StabilizingFinal());
  Forget(SplitFinal());
  Forget(SecondPass());
  FinalTask* task = EagerFinal();
  if (task == nullptr) {
    task = FreeFinal();
    if (task == nullptr) return;  // ready() ensures that one is free
    Submit(io, *task, endpointer_.ended().start_s, endpointer_.ended().end_s);
  }
  Close(*task);
}

void HearStream::Close(FinalTask& task) {
  task.state = State::kUtterance;
  task.utterance = endpointer_.ended();
  task.shown.assign(partials_.text());
  ++ended_count_;
  quiet_number_ = 0;
  final_s_ = audio_.heard_s();
}

void HearStream::CloseEmpty(FinalTask& task, uint32_t number, const vad::Utterance& span) {
  ++ended_count_;
  task.PrepareEmpty(span.end_s);
  task.shown.clear();
  task.utterance_number = number;
  task.utterance = span;
  task.state = State::kUtterance;
  final_s_ = audio_.heard_s();
}

// An open utterance brings its own final in time, but the silence before it needs a final.
void HearStream::EndQuiet() {
  const bool open = endpointer_.open();
  FinalTask* task = FreeFinal();
  if (task == nullptr || (open && quiet_number_ == 0)) return;
  const double end_s = std::max(final_s_, open ? utterance_.start_s : audio_.heard_s());
  const uint32_t number = open ? quiet_number_ : ++utterance_.number;
  CloseEmpty(*task, number, {final_s_, end_s, end_s, vad::EndReason::kSilence});
  quiet_number_ = 0;
}

void HearStream::Commit(engine::LaneIo& io, vad::EndReason reason) {
  const double now_s = audio_.seconds();
  if (endpointer_.Commit(now_s, reason).ended) {
    Ended(io);
    return;
  }
  if (reason != vad::EndReason::kCommit) return;
  FinalTask* task = FreeFinal();
  if (task == nullptr) return;
  CloseEmpty(*task, ++utterance_.number, {now_s, now_s, now_s, reason});
}

void HearStream::Work(engine::LaneIo& io) {
  StartSecondPass(io);
  ReportEagerFinal(io);
  StartSplitText(io);
  StabilizeWords();
  SplitAtSplitPoint(io);
  ReportFinals(io);
  partials_.ReportStable(io, utterance_, listener_);
  if (options_.partials && listener_.reads_partials() && endpointer_.open() && !endpointer_.silent())
    partials_.Order(io, utterance_, audio_);
}

void HearStream::OnPartial(engine::LaneIo& io) {
  if (!partials_.Known(io, utterance_) || !endpointer_.open()) return;
  // An eager final that was sent has the better words.
  if (!(endpointer_.silent() && is_eager_reported_)) partials_.Show(io, utterance_, listener_);
  if (!utterance_.language) utterance_.language = partials_.FoundLanguage(utterance_);
}

// The eager final at a pause is the best text so far.
void HearStream::ReportEagerFinal(engine::LaneIo& io) {
  const FinalTask* eager = EagerFinal();
  if (eager == nullptr || !eager->ready() || is_eager_reported_ || !eager->status().ok()) return;
  if (!endpointer_.silent()) return;
  is_eager_reported_ = true;
  if (eager->transcript().text.empty()) return;
  partials_.Show(eager->transcript().text);
  const double end_s = endpointer_.speech_end_s();
  listener_.EagerFinal(io, utterance_.number, utterance_.start_s, end_s, partials_.text());
  if (options_.partials) {
    listener_.Partial(io, utterance_.number, utterance_.start_s, end_s, partials_.text());
  }
}

void HearStream::ReportFinals(engine::LaneIo& io) {
  while (reported_count_ < ended_count_) {
    FinalTask* next = nullptr;
    for (auto& task : finals_) {
      if (task->state != State::kUtterance) continue;
      if (next == nullptr || task->utterance_number < next->utterance_number) next = task.get();
    }
    if (next == nullptr) return;
    if (!next->reported) {
      const std::string& text = next->ready() ? next->transcript().text : next->shown;
      next->reported =
          listener_.SpeechFinal(io, next->utterance_number, next->utterance, text, next->ready());
      if (!next->reported) return;
    }
    if (!next->ready()) return;
    const bool reported =
        next->status().ok() ? listener_.Final(io, next->utterance_number, next->utterance, next->transcript())
                            : listener_.Failed(io, next->utterance_number, next->utterance, next->status());
    if (!reported) return;
    next->state = State::kFree;
    ++reported_count_;
  }
}

bool HearStream::reported() const {
  return reported_count_ == ended_count_ && !endpointer_.open() && partials_.reported();
}

void HearStream::CancelTasks() {
  if (turn_.in_flight()) turn_.Cancel();
  partials_.CancelTasks();
  for (auto& task : finals_) {
    if (task->in_flight()) task->Cancel();
  }
}

}  // namespace trunkline::hear
