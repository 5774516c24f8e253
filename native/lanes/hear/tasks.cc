#include "lanes/hear/tasks.h"

#include <algorithm>
#include <limits>

#include "lanes/hear/stream.h"

namespace trunkline::hear {
namespace {

constexpr double kTaskRate = 16000;
// Spelled letters are often misread as an article ("D S K U": "The SKU"), also by two passes in a row:
// docs/decisions/082.
constexpr float kSure = 0.7f;
constexpr size_t kAllWords = std::numeric_limits<size_t>::max();

// The tokens before the first one that the model held unlikely; all when that was not recorded.
size_t SureWords(const asr::MoonshinePass& pass, size_t given) {
  size_t words = 0;
  for (size_t at = 0; at < pass.tokens().size(); ++at) {
    words += pass.model().tokens().OpensWord(pass.tokens()[at]) || at == 0;
    if (at < given || at - given >= pass.likelihood().size()) continue;
    if (pass.likelihood()[at - given].written < kSure) return words - 1;
  }
  return kAllWords;
}

}  // namespace

void TurnBatch::Run(std::span<engine::Task* const> tasks) {
  std::vector<TurnTask*> turns;
  std::vector<std::span<const float>> recordings;
  for (engine::Task* task : tasks) {
    turns.push_back(static_cast<TurnTask*>(task));
    recordings.push_back(turns.back()->samples_);
  }
  std::vector<float> probabilities(turns.size());
  if (!turns.front()->models_.smart_turn().Finished(recordings, probabilities).ok()) return;
  for (size_t i = 0; i < turns.size(); ++i) turns[i]->probability_ = probabilities[i];
}

TurnTask::TurnTask(HearStream& stream, HearModels& models) : stream_(stream), models_(models) {
  samples_.reserve(vad::SmartTurn::kSamples);
}

void TurnTask::Prepare(std::span<const float> samples, uint32_t pause) {
  const auto last = samples.last(std::min(samples.size(), vad::SmartTurn::kSamples));
  samples_.assign(last.begin(), last.end());
  pause_ = pause;
  probability_.reset();
  group_ = models_.smart_turn().gains_from_batches() ? &models_.turn_batch() : nullptr;
}

engine::Task::Step TurnTask::Run() {
  if (auto finished = models_.smart_turn().Finished(samples_); finished.ok()) probability_ = *finished;
  return Step::kDone;
}

void TurnTask::Done(engine::LaneIo& io) {
  if (!cancelled()) stream_.TurnKnown(io, pause_, probability_);
}

PartialTask::PartialTask(HearStream& stream, HearModels& models, bool promises)
    : stream_(stream), models_(models), moonshine_(models.moonshine()) {
  samples_.reserve(kTaskSamples);
  if (promises) moonshine_.Watch(&models.listening_starts());
}

void PartialTask::Prepare(std::span<const float> samples, uint32_t utterance,
                          std::optional<asr::Language> language, double end_s, bool settles,
                          std::shared_ptr<const asr::Vocabulary> vocabulary, int64_t now) {
  if (utterance != utterance_) {
    utterance_ = utterance;
    prefix_.Reset();
    settled_tokens_.clear();
    settled_.clear();
  }
  samples_.assign(samples.begin(), samples.end());
  language_ = language;
  end_s_ = end_s;
  settles_ = settles;
  vocabulary_ = std::move(vocabulary);
  submitted_at_ = now;
  begun_ = false;
  settled_more_ = false;
  text_.clear();
}

engine::Task::Step PartialTask::Run() {
  return language_ == asr::Language::kEn ? RunMoonshine() : RunWhisper();
}

engine::Task::Step PartialTask::RunMoonshine() {
  if (!begun_) moonshine_.Begin(samples_, settled_tokens_);
  begun_ = true;
  const auto done = moonshine_.Step(run_options());
  if (!done.ok()) return Step::kDone;
  if (!done.value()) return Step::kAgain;
  const text::PieceTokens& table = models_.moonshine()->tokens();
  Take(table.Decode(moonshine_.tokens()), SureWords(moonshine_, settled_tokens_.size()));
  if (!settled_more_) return Step::kDone;
  // The tokens of the settled words are given to the next pass.
  size_t words = 0;
  settled_tokens_.clear();
  for (const int32_t token : moonshine_.tokens()) {
    words += table.OpensWord(token) || settled_tokens_.empty();
    if (words > prefix_.size()) break;
    settled_tokens_.push_back(token);
  }
  return Step::kDone;
}

engine::Task::Step PartialTask::RunWhisper() {
  if (!begun_) {
    if (!whisper_) whisper_ = models_.TakeTranscriber();
    asr::TranscribeOptions options;
    options.language = language_;
    options.retries = 0;
    options.word_times = false;
    options.prefix = settled_;
    whisper_->Begin(samples_, {}, options);
  }
  begun_ = true;
  const auto done = whisper_->Step(run_options());
  if (done.ok() && !done.value() && !cancelled()) return Step::kAgain;
  if (done.ok() && done.value()) {
    language_ = whisper_->transcript().language;
    Take(whisper_->transcript().text, kAllWords);
  }
  models_.Give(std::move(whisper_));
  return Step::kDone;
}

void PartialTask::Take(const std::string& text, size_t sure) {
  text_ = text;
  std::vector<std::string> words = asr::SplitWords(text);
  const bool has_terms = vocabulary_ != nullptr && language_;
  if (has_terms) {
    vocabulary_->WriteTerms(*language_, prefix_.words(), words);
    text_ = asr::TextOf(words);
  }
  if (!settles_) return;
  if (has_terms) words.resize(vocabulary_->BeforeMendable(*language_, prefix_.size(), words));
  settled_more_ = prefix_.Pass(words, sure);
  if (settled_more_) settled_ = asr::TextOf(prefix_.words());
}

void PartialTask::Done(engine::LaneIo& io) {
  models_.Give(std::move(whisper_));
  stream_.PartialKnown(io);
}

FinalTask::FinalTask(HearStream& stream, HearModels& models) : stream_(stream), models_(models) {
  samples_.reserve(kTaskSamples);
  speech_.reserve(256);
  frames_.reserve(kTaskFrames);
  options_.prefix.reserve(kPrefixBytes);
}

void FinalTask::Prepare(std::span<const float> samples, double start_s, std::span<const asr::Span> speech,
                        const std::string& prefix, const asr::TranscribeOptions& options,
                        const std::shared_ptr<Recognizer>& recognizer) {
  recognizer_ = recognizer != nullptr ? recognizer : models_.recognizer();
  samples_.assign(samples.begin(), samples.end());
  speech_.clear();
  for (const asr::Span& span : speech) speech_.push_back({span.start - start_s, span.end - start_s});
  options_.language = options.language;
  options_.expected = options.expected;
  options_.among = options.among;
  options_.temperature = options.temperature;
  options_.seed = options.seed;
  options_.vocabulary = options.vocabulary;
  options_.word_times = options.word_times;
  options_.retries = 1;  // a caller waits
  options_.width = kFinalWidth;
  options_.marks = true;
  options_.prefix.assign(prefix);
  start_s_ = start_s;
  end_s_ = start_s + static_cast<double>(samples.size()) / kTaskRate;
  reported = begun_ = ready_ = cuts_ = false;
  status_ = base::Ok();
  transcript_.text.clear();
  transcript_.words.clear();
}

void FinalTask::PrepareSplit(double first_s) {
  first_frame_s_ = first_s;
  cuts_ = options_.word_times = true;
}

void FinalTask::PrepareEmpty(double at_s) {
  start_s_ = end_s_ = at_s;
  reported = false;
  begun_ = ready_ = true;
  status_ = base::Ok();
  transcript_.text.clear();
  transcript_.words.clear();
}

engine::Task::Step FinalTask::Run() {
  if (!begun_) {
    if (!transcriber_) transcriber_ = recognizer_->Take();
    transcriber_->Begin(samples_, speech_, options_);
    begun_ = true;
  }
  const auto done = transcriber_->Step(run_options());
  if (done.ok() && !done.value() && !cancelled()) return Step::kAgain;
  if (done.ok() && done.value()) {
    transcript_ = transcriber_->transcript();
  } else {
    status_ = done.ok() ? base::Status(base::Code::kCancelled) : done.status();
  }
  if (cuts_) CutText();
  GiveBack();
  return Step::kDone;
}

// Recognition failed, so there is no text: the split is where it is quiet.
void FinalTask::CutText() {
  const asr::SpeechFrames heard{frames_, first_frame_s_ - start_s_};
  const asr::SplitPoint split =
      asr::FindSplitPoint(transcript_.words, options_.prefix.size(), heard, end_s_ - start_s_);
  transcript_.words.resize(split.words);
  transcript_.text = asr::TextOf(transcript_.words);
  end_s_ = start_s_ + split.at_s;
}

void FinalTask::GiveBack() {
  if (transcriber_) recognizer_->Give(std::move(transcriber_));
}

void FinalTask::Done(engine::LaneIo& io) {
  GiveBack();
  if (faulted()) status_ = base::Status(base::Code::kInternal, "recognition threw");
  if (state == State::kVoid) {
    state = State::kFree;
    return;
  }
  ready_ = true;
  stream_.TextKnown(io);
}

}  // namespace trunkline::hear
