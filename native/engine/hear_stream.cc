#include "engine/hear_stream.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "dsp/convert.h"
#include "dsp/level.h"

namespace trunkline::engine {
namespace {

using State = FinalTask::State;

// Speech before the first pass. In English passes follow at once until two in a row begin with the same word,
// and then the first partial is shown; but after this much speech any is (docs/decisions/086).
constexpr double kMoonshineFirstS = 0.23, kWhisperFirstS = 0.41;
constexpr double kUnsureGapS = 0.064, kUnsureS = 1.5;
// A pass that takes longer from order to answer says that the machine is busy.
constexpr double kBusyS = 0.15;
// Between partials: at least this, and a multiple of what the last one took from order to answer, so that a
// busy machine makes fewer.
constexpr double kMoonshineGapS = 0.24, kWhisperGapS = 0.64;
constexpr double kCostFactor = 3, kUnsureCostFactor = 1;
// Somebody who does not pause is cut a little before the cap, between words of a text that was begun early
// enough to be there by then (docs/decisions/087).
constexpr double kSeamS = 12.0, kCutS = 14.5;
// Words settled later than this would leave no choice of where to cut.
constexpr double kSettleS = 9.0;
// A language that the model found in less speech than this is asked for again.
constexpr double kLanguageS = 2.0;

constexpr int64_t kMillis = base::kNanosPerMilli;
constexpr int64_t kTurnDeadline = 60 * kMillis, kFinalDeadline = 120 * kMillis,
                  kPartialDeadline = 400 * kMillis;

// The first run of letters and digits, in lower case.
std::string_view FirstWord(std::string_view text, std::array<char, 32>& room) {
  size_t size = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = byte >= 0x80 || std::isalnum(byte) || (c == '\'' && size > 0);
    if (!letter && size > 0) break;
    if (letter && size < room.size()) room[size++] = static_cast<char>(std::tolower(byte));
  }
  return {room.data(), size};
}

}  // namespace

HearStream::HearStream(const HearOptions& options, std::shared_ptr<HearModels> models, HearListener& listener)
    : options_(options),
      models_(std::move(models)),
      listener_(listener),
      vad_rate_(options.rate == 8000 ? vad::VadRate::k8k : vad::VadRate::k16k),
      endpointer_({.endpointing_s = options.endpointing_s,
                   .least = options.least_wait,
                   .most = options.most_wait,
                   .undecided = options.undecided}),
      ring_(kRing),
      heard_(kHistory),
      turn_(*this, *models_),
      partial_(*this, *models_) {
  if (options_.rate != 16000) resampler_ = dsp::Resampler::Create(options_.rate, 16000, dsp::Grade::kSpeech);
  pending_.reserve(2 * kMostPending);
  scratch_.reserve(1 << 16);
  resampled_.reserve(1 << 17);
  range_.reserve(kTaskSamples);
  speech_.reserve(256);
  settled_.reserve(kPrefixBytes);
  partial_text_.reserve(kPrefixBytes);
  first_word_.reserve(32);
  for (auto& task : finals_) {
    task = std::make_unique<FinalTask>(*this, *models_);
    task->shown.reserve(kPrefixBytes);
  }
}

bool HearStream::Push(std::span<const int16_t> pcm) {
  if (!takes()) return false;
  scratch_.resize(pcm.size());
  dsp::ToFloat(pcm, scratch_);
  std::span<const float> wide = scratch_;
  if (resampler_) {
    resampled_.resize(resampler_->OutputSize(scratch_.size()));
    resampler_->Process(std::span<const float>(scratch_), std::span<float>(resampled_));
    wide = resampled_;
  }
  for (const float sample : wide) ring_[total_++ % kRing] = sample;
  if (pending_first_ > 0) {
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(pending_first_));
    pending_first_ = 0;
  }
  const std::span<const float> heard =
      vad_rate_ == vad::VadRate::k8k ? std::span<const float>(scratch_) : wide;
  pending_.insert(pending_.end(), heard.begin(), heard.end());
  return true;
}

bool HearStream::ready() const {
  // A frame may pause or end an utterance, and both need a task. One that is as long as may be is cut first.
  return pending_.size() - pending_first_ >= vad::FrameSamples(vad_rate_) && can_commit() &&
         !endpointer_.full(heard_s());
}

bool HearStream::can_commit() const {
  return std::any_of(finals_.begin(), finals_.end(),
                     [](const auto& task) { return task->state == State::kFree; });
}

void HearStream::Frame(vad::VadItem& item) {
  item.state = &vad_state_;
  item.frame = std::span<const float>(pending_).subspan(pending_first_, vad::FrameSamples(vad_rate_));
}

void HearStream::Heard(LaneIo& io, float probability) {
  const auto frame = std::span<const float>(pending_).subspan(pending_first_, vad::FrameSamples(vad_rate_));
  double power = 0;
  for (const float x : frame) power += static_cast<double>(x) * x;
  const float level = dsp::ToDbfs(power / static_cast<double>(frame.size()));
  pending_first_ += frame.size();
  heard_[frames_ % kHistory] = {probability, level};
  ++frames_;
  NoteSpeech(probability, heard_s());
  Follow(io, endpointer_.Frame(probability, heard_s()));
}

void HearStream::Follow(LaneIo& io, const vad::EndpointEvents& events) {
  if (events.went_on) Forget(Guess());
  if (events.resumed) Resumed(io);
  if (events.ended) Ended(io);
  if (events.started) Started(io);
  if (events.hushed && options_.eager) BeginGuess(io);
  if (events.paused) Paused(io);
}

void HearStream::Started(LaneIo& io) {
  ++utterance_;
  utterance_language_ = options_.language;
  settled_.clear();
  partial_text_.clear();
  stable_waits_ = false;
  partial_at_s_ = 0;
  first_word_.clear();
  sure_ = false;
  listener_.Started(io, utterance_, endpointer_.start_s());
}

// Stretches of speech of the last utterances, for the words' times.
void HearStream::NoteSpeech(float probability, double end_s) {
  if (probability < 0.35f) return;
  const double start_s = end_s - vad::kFrameSeconds;
  if (!speech_.empty() && start_s - speech_.back().end < 0.1) {
    speech_.back().end = end_s;
    return;
  }
  if (speech_.size() == speech_.capacity()) speech_.erase(speech_.begin(), speech_.begin() + 128);
  speech_.push_back({start_s, end_s});
}

std::span<const float> HearStream::Range(double start_s, double end_s) {
  const auto last = std::min(total_, static_cast<uint64_t>(std::llround(end_s * kRate)));
  auto first = static_cast<uint64_t>(std::llround(std::max(0.0, start_s) * kRate));
  const uint64_t oldest = total_ > kRing ? total_ - kRing : 0;
  first = std::max({first, oldest, last > kTaskSamples ? last - kTaskSamples : 0});
  range_.clear();
  for (uint64_t i = first; i < last; ++i) range_.push_back(ring_[i % kRing]);
  return range_;
}

FinalTask* HearStream::FinalIn(State state) const {
  for (const auto& task : finals_) {
    if (task->state == state) return task.get();
  }
  return nullptr;
}

void HearStream::Prepare(FinalTask& task, double start_s, double end_s) {
  asr::TranscribeOptions options;
  options.language = utterance_language_;
  options.temperature = options_.temperature;
  options.seed = options_.seed;
  options.vocabulary = options_.vocabulary.get();
  options.word_times = options_.word_times;
  size_t first = speech_.size();
  while (first > 0 && speech_[first - 1].end > start_s) --first;
  const auto speech = std::span<const asr::Span>(speech_).subspan(first);
  task.Prepare(Range(start_s, end_s), start_s, speech, settled_, options);
  task.utterance_number = utterance_;
}

void HearStream::Submit(LaneIo& io, FinalTask& task, double start_s, double end_s) {
  Prepare(task, start_s, end_s);
  io.Submit(task, Priority::kCut, io.now() + kFinalDeadline);
}

void HearStream::Paused(LaneIo& io) {
  if (!turn_.in_flight()) {
    turn_.Prepare(Range(heard_s() - 8, heard_s()), endpointer_.pause());
    io.Submit(turn_, Priority::kCut, io.now() + kTurnDeadline);
  }
  if (Guess() == nullptr) BeginGuess(io);
}

void HearStream::BeginGuess(LaneIo& io) {
  FinalTask* task = FreeFinal();
  if (task == nullptr) return;
  task->state = State::kGuess;
  guess_told_ = false;
  Submit(io, *task, endpointer_.start_s(), heard_s());
}

void HearStream::Resumed(LaneIo& io) {
  Forget(Guess());
  listener_.Resumed(io, utterance_);
}

// Of an utterance in which somebody speaks on.
void HearStream::OrderSeam(LaneIo& io) {
  if (!endpointer_.open() || endpointer_.silent() || Seam() != nullptr) return;
  const double start_s = endpointer_.start_s();
  FinalTask* task = FreeFinal();
  if (heard_s() - start_s < kSeamS || task == nullptr) return;
  task->state = State::kSeam;
  Prepare(*task, start_s, heard_s());
  const auto first = static_cast<uint64_t>(start_s / vad::kFrameSeconds);
  task->frames().clear();
  for (uint64_t i = first; i < frames_; ++i) task->frames().push_back(heard_[i % kHistory]);
  task->PrepareSeam(static_cast<double>(first) * vad::kFrameSeconds);
  io.Submit(*task, Priority::kCut, io.now() + kFinalDeadline);
}

// Not in a pause: that may be the end.
void HearStream::CutAtSeam(LaneIo& io) {
  FinalTask* seam = Seam();
  if (seam == nullptr || !seam->ready() || endpointer_.silent()) return;
  if (heard_s() - endpointer_.start_s() < kCutS) return;
  const vad::EndpointEvents events = endpointer_.Cut(seam->end_s());
  // A text begun at a first quiet frame is of what was cut off too.
  Forget(Guess());
  Close(*seam);
  // What was said until here, before what begins.
  TellFinals(io);
  if (events.started) Started(io);
}

void HearStream::Forget(FinalTask* task) {
  if (task == nullptr) return;
  task->state = task->in_flight() ? State::kVoid : State::kFree;
  if (task->in_flight()) task->Cancel();
}

void HearStream::Ended(LaneIo& io) {
  Forget(Seam());
  FinalTask* task = Guess();
  if (task == nullptr) {
    task = FreeFinal();
    if (task == nullptr) return;  // ready() has seen to it that there is one
    Submit(io, *task, endpointer_.ended().start_s, endpointer_.ended().end_s);
  }
  Close(*task);
}

void HearStream::Close(FinalTask& task) {
  task.state = State::kUtterance;
  task.utterance = endpointer_.ended();
  task.shown.assign(partial_text_);
  ++ended_count_;
}

void HearStream::Commit(LaneIo& io, vad::EndReason reason) {
  const double now_s = seconds();
  if (endpointer_.Commit(now_s, reason).ended) {
    Ended(io);
    return;
  }
  if (reason != vad::EndReason::kCommit) return;
  FinalTask* task = FreeFinal();
  if (task == nullptr) return;
  ++utterance_;
  ++ended_count_;
  task->PrepareEmpty(now_s);
  task->shown.clear();
  task->utterance_number = utterance_;
  task->utterance = {now_s, now_s, now_s, reason};
  task->state = State::kUtterance;
}

void HearStream::Work(LaneIo& io) {
  TellGuess(io);
  OrderSeam(io);
  CutAtSeam(io);
  TellFinals(io);
  if (stable_waits_) {
    stable_waits_ = !listener_.Stable(io, utterance_, endpointer_.start_s(), stable_end_s_, settled_);
  }
  if (options_.partials) OrderPartial(io);
}

void HearStream::OrderPartial(LaneIo& io) {
  if (!endpointer_.open() || endpointer_.silent() || partial_.in_flight()) return;
  const double now_s = heard_s();
  const double start_s = endpointer_.start_s();
  const double speech_s = start_s + vad::EndpointerOptions().lead_s;
  const bool quick = utterance_language_ == asr::Language::kEn;
  sure_ = sure_ || !quick || now_s - speech_s > kUnsureS;
  const double gap = !sure_ ? kUnsureGapS : quick ? kMoonshineGapS : kWhisperGapS;
  const double factor = sure_ ? kCostFactor : kUnsureCostFactor;
  const bool first = partial_at_s_ <= start_s;
  const double due = first ? speech_s + (quick ? kMoonshineFirstS : kWhisperFirstS)
                           : partial_at_s_ + std::max(gap, factor * partial_cost_s_);
  // Times are sums of frames.
  if (now_s < due - vad::kFrameSeconds / 4) return;
  partial_at_s_ = now_s;
  partial_.Prepare(Range(start_s, now_s), utterance_, utterance_language_, now_s, sure_,
                   options_.vocabulary.get(), io.now());
  io.Submit(partial_, Priority::kPartial, io.now() + kPartialDeadline);
}

void HearStream::PartialKnown(LaneIo& io) {
  partial_cost_s_ = static_cast<double>(io.now() - partial_.submitted_at()) * 1e-9;
  if (partial_.cancelled() || partial_.faulted() || partial_.utterance() != utterance_) return;
  if (!endpointer_.open() || partial_.text().empty()) return;
  const double start_s = endpointer_.start_s();
  if (!Sure(partial_.text())) return;
  // A guess that has been told holds the better words.
  if (!(endpointer_.silent() && guess_told_)) {
    partial_text_.assign(partial_.text());
    listener_.Partial(io, utterance_, start_s, partial_.end_s(), partial_text_);
  }
  if (!utterance_language_ && partial_.end_s() - start_s >= kLanguageS)
    utterance_language_ = partial_.language();
  // Words are settled only in a language that is: the final goes on from them. While one is written without
  // them, none are.
  if (!partial_.settled_more() || !utterance_language_ || Guess() != nullptr || Seam() != nullptr) return;
  // What may still be cut off belongs to the next utterance.
  if (partial_.end_s() - start_s > kSettleS) return;
  settled_.assign(partial_.settled());
  stable_end_s_ = partial_.end_s();
  stable_waits_ = true;
}

// Whether the utterance's first word is known: two passes in a row have said the same. A busy machine is not
// asked for more of them.
bool HearStream::Sure(std::string_view text) {
  if (sure_) return true;
  std::array<char, 32> room;
  const std::string_view word = FirstWord(text, room);
  sure_ = partial_cost_s_ > kBusyS || (!word.empty() && word == first_word_);
  first_word_.assign(word);
  return sure_;
}

// The guess at a pause is the best text there is so far.
void HearStream::TellGuess(LaneIo& io) {
  const FinalTask* guess = Guess();
  if (guess == nullptr || !guess->ready() || guess_told_ || !guess->status().ok()) return;
  if (!endpointer_.silent()) return;
  guess_told_ = true;
  if (guess->transcript().text.empty()) return;
  partial_text_.assign(guess->transcript().text);
  listener_.Guessed(io, utterance_, endpointer_.start_s(), endpointer_.speech_end_s(), partial_text_);
  if (options_.partials) {
    listener_.Partial(io, utterance_, endpointer_.start_s(), endpointer_.speech_end_s(), partial_text_);
  }
}

void HearStream::TellFinals(LaneIo& io) {
  while (told_count_ < ended_count_) {
    FinalTask* next = nullptr;
    for (auto& task : finals_) {
      if (task->state != State::kUtterance) continue;
      if (next == nullptr || task->utterance_number < next->utterance_number) next = task.get();
    }
    if (next == nullptr) return;
    if (!next->told) {
      const std::string& text = next->ready() ? next->transcript().text : next->shown;
      next->told = listener_.SpeechFinal(io, next->utterance_number, next->utterance, text, next->ready());
      if (!next->told) return;
    }
    if (!next->ready()) return;
    const bool told = next->status().ok()
                          ? listener_.Final(io, next->utterance_number, next->utterance, next->transcript())
                          : listener_.Failed(io, next->utterance_number, next->utterance, next->status());
    if (!told) return;
    next->state = State::kFree;
    ++told_count_;
  }
}

bool HearStream::told() const {
  return told_count_ == ended_count_ && !endpointer_.open() && !stable_waits_;
}

void HearStream::CancelTasks() {
  if (turn_.in_flight()) turn_.Cancel();
  if (partial_.in_flight()) partial_.Cancel();
  for (auto& task : finals_) {
    if (task->in_flight()) task->Cancel();
  }
}

}  // namespace trunkline::engine
