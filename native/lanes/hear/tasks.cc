#include "lanes/hear/tasks.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "lanes/hear/stream.h"

namespace trunkline::hear {
namespace {

constexpr double kTaskRate = 16000;

// Words before a cut that are looked at for letters that are spelled.
constexpr size_t kNear = 3;

bool HasLetter(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || std::isalpha(static_cast<unsigned char>(c)) != 0;
  });
}

bool IsSpelled(std::string_view word) {
  if (word == "I" || word == "A" || !HasLetter(word)) return false;
  return std::none_of(word.begin(), word.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || std::islower(static_cast<unsigned char>(c)) != 0;
  });
}

// Returns whether letters are spelled about the cut or a number is before it: what follows may change how they are
// written ("EF", "E-F-R-O-M"; "D-I-T-T-S be", "D-I-T-T-S-B-U-R-G-H"; "2", "215").
bool IsSpelledNear(std::span<const asr::Word> words, size_t cut) {
  const auto about = words.first(std::min(words.size(), cut + 1));
  const auto near = about.last(std::min(about.size(), kNear + 1));
  return (cut > 0 && !HasLetter(words[cut - 1].text)) ||
         std::any_of(near.begin(), near.end(), [](const asr::Word& word) { return IsSpelled(word.text); });
}

}  // namespace

TurnTask::TurnTask(HearStream& stream, HearModels& models) : stream_(stream), models_(models) {
  samples_.reserve(vad::SmartTurn::kSamples);
}

void TurnTask::Prepare(std::span<const float> samples, uint32_t pause) {
  const auto last = samples.last(std::min(samples.size(), vad::SmartTurn::kSamples));
  samples_.assign(last.begin(), last.end());
  pause_ = pause;
  probability_.reset();
  submitted_ = false;
}

engine::Task::Step TurnTask::Run() {
  if (!submitted_ && models_.smart_turn().serves_on_gpu()) return Step::kWaits;
  if (submitted_ && on_gpu_.status().ok()) {
    probability_ = on_gpu_.probability();
    return Step::kDone;
  }
  if (auto finished = models_.smart_turn().Finished(samples_); finished.ok()) probability_ = *finished;
  return Step::kDone;
}

void TurnTask::Wait(std::function<void()> resume) {
  submitted_ = true;
  models_.smart_turn().Submit(on_gpu_, samples_, {}, std::move(resume));
}

void TurnTask::Done(engine::LaneIo& io) {
  if (!cancelled()) stream_.OnEndOfTurn(io, pause_, probability_);
}

PartialTask::PartialTask(HearStream& stream, HearModels& models, const QuickRecognizer& quick)
    : stream_(stream), models_(models), moonshine_(quick.moonshine(), quick.device()) {
  samples_.reserve(kTaskSamples);
}

void PartialTask::Prepare(std::span<const float> samples, uint32_t utterance,
                          std::optional<asr::Language> language, double start_s, double end_s, bool agrees,
                          std::shared_ptr<const asr::Vocabulary> vocabulary, int64_t now) {
  if (utterance != utterance_ || start_s != start_s_) {
    utterance_ = utterance;
    start_s_ = start_s;
    prefix_.Reset();
    given_tokens_.clear();
    given_.clear();
  }
  samples_.assign(samples.begin(), samples.end());
  language_ = language;
  end_s_ = end_s;
  agrees_ = agrees;
  vocabulary_ = std::move(vocabulary);
  submitted_at_ = now;
  begun_ = false;
  text_.clear();
}

engine::Task::Step PartialTask::Run() {
  return language_ == asr::Language::kEn ? RunMoonshine() : RunWhisper();
}

engine::Task::Step PartialTask::RunMoonshine() {
  if (!begun_) moonshine_.Begin(samples_, given_tokens_);
  begun_ = true;
  const auto done = moonshine_.Step(run_options());
  if (!done.ok()) return Step::kDone;
  if (!done.value() && cancelled()) return Step::kDone;
  if (!done.value()) return moonshine_.pending() ? Step::kWaits : Step::kAgain;
  const text::PieceTokens& table = moonshine_.model().tokens();
  if (!Take(table.Decode(moonshine_.tokens()))) return Step::kDone;
  size_t words = 0;
  given_tokens_.clear();
  for (const int32_t token : moonshine_.tokens()) {
    words += table.OpensWord(token) || given_tokens_.empty();
    if (words > prefix_.size()) break;
    given_tokens_.push_back(token);
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
    options.prefix = given_;
    whisper_->Begin(samples_, {}, options);
  }
  begun_ = true;
  const auto done = whisper_->Step(run_options());
  if (done.ok() && !done.value() && !cancelled()) return whisper_->pending() ? Step::kWaits : Step::kAgain;
  if (done.ok() && done.value()) {
    language_ = whisper_->transcript().language;
    Take(whisper_->transcript().text);
  }
  models_.Give(std::move(whisper_));
  return Step::kDone;
}

bool PartialTask::Take(const std::string& text) {
  text_ = text;
  std::vector<std::string> words = asr::SplitWords(text);
  const bool has_terms = vocabulary_ != nullptr && language_;
  if (has_terms) {
    vocabulary_->WriteTerms(*language_, prefix_.words(), words);
    text_ = asr::TextOf(words);
  }
  if (!agrees_) return false;
  if (has_terms) words.resize(vocabulary_->BeforeMendable(*language_, prefix_.size(), words));
  if (!prefix_.Pass(words)) return false;
  given_ = asr::TextOf(prefix_.words());
  return true;
}

void PartialTask::Done(engine::LaneIo& io) {
  moonshine_.Release();
  models_.Give(std::move(whisper_));
  stream_.OnPartial(io);
}

FinalTask::FinalTask(HearStream& stream, HearModels& models) : stream_(stream), models_(models) {
  samples_.reserve(kTaskSamples);
  speech_.reserve(256);
  frames_.reserve(kTaskFrames);
  options_.prefix.reserve(kPrefixBytes);
  stable_text_.reserve(kPrefixBytes);
}

void FinalTask::Prepare(std::span<const float> samples, double start_s, std::span<const asr::Span> speech,
                        const std::string& prefix, const asr::TranscribeOptions& options,
                        const std::shared_ptr<Recognizer>& recognizer, int64_t now) {
  recognizer_ = recognizer != nullptr ? recognizer : models_.recognizer();
  samples_.assign(samples.begin(), samples.end());
  submitted_at_ = now;
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
  reported = begun_ = ready_ = splits_ = false;
  stable_text_.clear();
  status_ = base::Ok();
  transcript_.text.clear();
  transcript_.words.clear();
}

void FinalTask::PrepareSplit(double first_s) {
  first_frame_s_ = first_s;
  splits_ = options_.word_times = true;
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
  if (done.ok() && !done.value() && !cancelled())
    return transcriber_->pending() ? Step::kWaits : Step::kAgain;
  if (done.ok() && done.value()) {
    transcript_ = transcriber_->transcript();
  } else {
    status_ = done.ok() ? base::Status(base::Code::kCancelled) : done.status();
  }
  if (splits_) SplitText();
  GiveBack();
  return Step::kDone;
}

// A failed recognition has no text, so the cut is where it is quiet.
void FinalTask::SplitText() {
  const asr::SpeechFrames heard{frames_, first_frame_s_ - start_s_};
  const asr::SplitPoint split =
      asr::FindSplitPoint(transcript_.words, options_.prefix.size(), heard, end_s_ - start_s_);
  size_t whole = split.words < transcript_.words.size() ? split.words : 0;
  while (whole > 0 && IsSpelledNear(transcript_.words, whole)) --whole;
  if (whole > 0) {
    stable_text_ = asr::TextOf(std::span(transcript_.words).first(whole));
    stable_to_s_ =
        start_s_ + (whole == split.words ? split : asr::SplitAfter(transcript_.words, whole, heard)).at_s;
  }
  transcript_.words.resize(split.words);
  transcript_.text = asr::TextOf(transcript_.words);
  end_s_ = start_s_ + split.at_s;
}

void FinalTask::GiveBack() {
  if (transcriber_) recognizer_->Give(std::move(transcriber_));
}

void FinalTask::Done(engine::LaneIo& io) {
  GiveBack();
  latency_s_ = static_cast<double>(io.now() - submitted_at_) * 1e-9;
  if (faulted()) status_ = base::Status(base::Code::kInternal, "recognition threw");
  if (state == State::kVoid) {
    state = State::kFree;
    return;
  }
  ready_ = true;
  stream_.OnText(io);
}

}  // namespace trunkline::hear
