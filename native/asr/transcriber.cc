#include "asr/transcriber.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "asr/hallucination.h"
#include "asr/stable_prefix.h"

namespace trunkline::asr {
namespace {

constexpr double kSecondsPerMark = 0.02;
// A timestamp is up to a second before the last sound of a stretch that it ends.
constexpr double kMaxLeftOut = 1.5;

constexpr HallucinationLimits kLimits;
// A spoken term that was recognized as other words is less likely than these by some e^10; a term that
// only sounds like them, by e^20 and more (docs/decisions/088).
constexpr float kMaxAdvantage = 15;
constexpr float kWarmer = 0.2f;
// The most tokens a second, which spelled letters and Devanagari need.
constexpr double kWhisperTokensPerSecond = 12;
constexpr double kWhisperTokensAlways = 16;

// The size of the letter that begins with `lead`.
size_t LetterBytes(uint8_t lead) {
  return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// Writes the term as the model would: in capitals like the other words, because another case is as
// unlikely to the model as another word.
std::string AsWritten(std::string_view term, std::string_view words) {
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool loud = std::none_of(words.begin(), words.end(), is_small);
  std::string out = " ";
  for (const char c : term) out += loud && is_small(c) ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// Returns the tokens before a text's language: its start, after the words that precede it.
std::vector<text::TokenId> StartOf(const WhisperTimestamps& marks, const Vocabulary* vocabulary) {
  std::vector<text::TokenId> start;
  if (vocabulary != nullptr && marks.before >= 0 && !vocabulary->before().empty()) {
    start.push_back(marks.before);
    start.insert(start.end(), vocabulary->before().begin(), vocabulary->before().end());
  }
  start.push_back(marks.start);
  return start;
}

bool EndsInsideLetter(std::span<const text::TokenId> tokens, const text::ByteTokens& table) {
  size_t after = 0;  // bytes that go on from a lead byte not seen yet
  for (size_t i = tokens.size(); i > 0; --i) {
    const std::string_view bytes = table.bytes(tokens[i - 1]);
    for (size_t k = bytes.size(); k > 0; --k) {
      const auto byte = static_cast<uint8_t>(bytes[k - 1]);
      if ((byte & 0xC0) != 0x80) return LetterBytes(byte) > 1 + after;
      ++after;
    }
  }
  return after > 0;
}

}  // namespace

void Transcriber::Begin(std::span<const float> samples, std::span<const Span> speech,
                        const TranscribeOptions& options) {
  samples_ = samples.first(std::min(samples.size(), kWindowSamples));
  speech_ = speech;
  options_ = options;
  transcript_ = {};
  attempts_.best.reset();
  attempts_.left_out.reset();
  attempts_.retry = 0;
  attempts_.marks = options.marks;
  attempts_.chance = Chance(options.seed);
  languages_.Begin(samples_, {}, Language::kEn, std::nullopt);
  decoder_.SetUrgency(options.urgency);
  TakePrefix();
  stage_ = Stage::kRead;
}

base::Result<bool> Transcriber::Step(const onnx::RunOptions* stop) {
  base::Result<bool> done = Advance(stop);
  if (!done.ok() || *done) decoder_.Release();
  return done;
}

base::Result<bool> Transcriber::Advance(const onnx::RunOptions* stop) {
  TRUNKLINE_RETURN_IF_FAILED(decoder_.Collect());
  switch (stage_) {
    case Stage::kRead:
      TRUNKLINE_RETURN_IF_FAILED(decoder_.BeginEncode(samples_, stop));
      stage_ = Stage::kPrompt;
      return false;
    case Stage::kPrompt:
      TRUNKLINE_RETURN_IF_FAILED(ReadStart());
      stage_ = Stage::kStart;
      if (decoder_.pending()) return false;
      [[fallthrough]];
    case Stage::kStart:
      TRUNKLINE_RETURN_IF_FAILED(Start());
      return false;
    case Stage::kLanguages:
      TRUNKLINE_RETURN_IF_FAILED(FollowLanguages(stop));
      return stage_ == Stage::kDone;
    case Stage::kWrite:
      for (size_t i = 0; i < kTokensPerStep && stage_ == Stage::kWrite && !decoder_.pending(); ++i) {
        TRUNKLINE_RETURN_IF_FAILED(WriteToken());
      }
      return false;
    case Stage::kTime:
      TRUNKLINE_RETURN_IF_FAILED(ReadText());
      stage_ = Stage::kWords;
      if (decoder_.pending()) return false;
      [[fallthrough]];
    case Stage::kWords:
      TRUNKLINE_RETURN_IF_FAILED(TimeText());
      stage_ = Stage::kDone;
      return true;
    case Stage::kDone:
      return true;
  }
  return true;
}

// The first token's logits give both the no-speech probability and the language.
base::Status Transcriber::Start() {
  const WhisperTimestamps& marks = decoder_.model().marks();
  const std::span<const float> logits = decoder_.logits();
  transcript_.no_speech = std::exp(logits[static_cast<size_t>(marks.no_speech)] - LogSumExp(logits));
  if (decoder_.model().english_only()) {
    transcript_.language = Language::kEn;
  } else if (options_.language) {
    transcript_.language = *options_.language;
  } else {
    const LanguageOdds odds = Among(OddsOf(logits, marks), options_.among);
    transcript_.language = LanguageOf({SpeechSeconds(), odds}, options_.expected);
    transcript_.language_odds = odds[static_cast<size_t>(transcript_.language)];
    if (options_.phrases.size() > 1) {
      languages_.Begin(samples_, options_.phrases, transcript_.language, options_.expected);
      stage_ = Stage::kLanguages;
      return base::Ok();
    }
  }
  stage_ = Stage::kWrite;
  return StartAttempt(options_.temperature);
}

base::Status Transcriber::ReadStart() {
  return decoder_.BeginStep(StartOf(decoder_.model().marks(), options_.vocabulary.get()));
}

base::Status Transcriber::FollowLanguages(const onnx::RunOptions* stop) {
  TRUNKLINE_ASSIGN_OR_RETURN(const bool known, languages_.Step(decoder_, stop));
  if (!known) return base::Ok();
  if (languages_.runs().size() > 1) {
    stage_ = Stage::kDone;
    return base::Ok();
  }
  transcript_.language = languages_.runs().front().language;
  decoder_.AttendTo(0, decoder_.window().rows());
  decoder_.Rewind(0);
  TRUNKLINE_RETURN_IF_FAILED(ReadStart());
  stage_ = Stage::kWrite;
  return StartAttempt(options_.temperature);
}

base::Status Transcriber::StartAttempt(float temperature) {
  TextSearch::Terms terms;
  terms.width = options_.temperature > 0 ? 1 : options_.width;
  terms.temperature = temperature;
  terms.language = options_.translate ? Language::kEn : transcript_.language;
  terms.end_of_text = decoder_.model().marks().end_of_text;
  terms.max_tokens = MaxTokens();
  terms.seconds = SpeechSeconds();
  terms.rules = &decoder_.model().rules();
  terms.vocabulary = options_.vocabulary.get();
  terms.marks = attempts_.marks;
  attempts_.search.Begin(terms, given_, attempts_.chance);
  return ReadPrompt(attempts_.marks, given_);
}

// Weights that know English alone are asked for neither a language nor a task.
std::vector<text::TokenId> Transcriber::TaskTokens() const {
  const WhisperTimestamps& known = decoder_.model().marks();
  if (decoder_.model().english_only()) return {};
  return {known.languages[static_cast<size_t>(transcript_.language)],
          options_.translate ? known.translate : known.transcribe};
}

base::Status Transcriber::ReadPrompt(bool marks, std::span<const text::TokenId> given) {
  const WhisperTimestamps& known = decoder_.model().marks();
  decoder_.Rewind(StartOf(known, options_.vocabulary.get()).size());
  std::vector<text::TokenId> task = TaskTokens();
  if (!marks) task.push_back(known.no_timestamps);
  task.insert(task.end(), given.begin(), given.end());
  return decoder_.BeginStep(task);
}

void Transcriber::TakePrefix() {
  prefix_.clear();
  given_.clear();
  if (options_.prefix.empty()) return;
  prefix_ = decoder_.model().tokens().Encode(" " + options_.prefix);
  if (prefix_.size() > WhisperDecoder::kMaxText / 2) prefix_.clear();
  given_ = prefix_;
  if (attempts_.marks && !prefix_.empty())
    given_.insert(given_.begin(), decoder_.model().marks().first_mark());
}

size_t Transcriber::MaxTokens() const {
  const double seconds = static_cast<double>(samples_.size()) / dsp::LogMel::kRate;
  const size_t start = StartOf(decoder_.model().marks(), options_.vocabulary.get()).size();
  const size_t capacity = WhisperDecoder::kMaxText - (start - 1);
  return std::min(capacity, static_cast<size_t>(kWhisperTokensAlways + kWhisperTokensPerSecond * seconds));
}

double Transcriber::SpeechSeconds() const {
  const double whole = static_cast<double>(samples_.size()) / dsp::LogMel::kRate;
  if (speech_.empty()) return whole;
  double spoken = 0;
  for (const Span& span : speech_)
    spoken += std::max(0.0, std::min(span.end, whole) - std::max(span.start, 0.0));
  return spoken;
}

base::Status Transcriber::WriteToken() {
  if (attempts_.search.Advance(decoder_.logits())) return NextAttempt();
  return decoder_.BeginStep(attempts_.search.tokens(), attempts_.search.parents());
}

bool Transcriber::IsUnreliable(const Hypothesis& text) const {
  return text.looped || text.mean_logprob() < kLimits.min_logprob;
}

// The model sometimes ends a text although speech goes on; Whisper's own decoder would begin
// its next window there.
bool Transcriber::LeavesOut(const Hypothesis& text) const {
  if (speech_.empty() || !text.written.marks) return false;
  const auto steps = text.written.marks->last - decoder_.model().marks().first_mark();
  return static_cast<double>(steps) * kSecondsPerMark + kMaxLeftOut < speech_.back().end;
}

// Stores the best text so far, and tries again while it is doubted.
base::Status Transcriber::NextAttempt() {
  const Hypothesis& text = attempts_.search.best();
  const bool better = !attempts_.best || (attempts_.best->looped && !text.looped) ||
                      (attempts_.best->looped == text.looped && text.score() > attempts_.best->score());
  if (better) attempts_.best = text;
  const auto invented = [&](const Hypothesis& of) {
    return IsNoSpeech(transcript_.no_speech, of.mean_logprob(), prefix_.size() + of.tokens.size(), kLimits);
  };
  const bool silent = invented(*attempts_.best);
  // A requested temperature disables retries.
  const bool may_retry = options_.temperature <= 0 && attempts_.retry < options_.retries;
  if (IsUnreliable(text) && !silent && may_retry) {
    ++attempts_.retry;
    return StartAttempt(kWarmer * static_cast<float>(attempts_.retry));
  }
  if (!silent && attempts_.marks && LeavesOut(*attempts_.best)) {
    attempts_.left_out = std::move(attempts_.best);
    attempts_.best.reset();
    attempts_.marks = false;
    attempts_.retry = 0;
    TakePrefix();
    return StartAttempt(options_.temperature);
  }
  if (attempts_.left_out &&
      (attempts_.best->looped || attempts_.left_out->tokens.size() >= attempts_.best->tokens.size()))
    attempts_.best = std::move(attempts_.left_out);
  transcript_.mean_logprob = attempts_.best->mean_logprob();
  if (invented(*attempts_.best)) attempts_.best->tokens.clear();
  // A text that was cut at a loop or by its length may end inside a letter.
  while (EndsInsideLetter(attempts_.best->tokens, decoder_.model().tokens()))
    attempts_.best->tokens.pop_back();
  stage_ = Stage::kTime;
  return base::Ok();
}

std::vector<text::TokenId> Transcriber::BestTokens() const {
  std::vector<text::TokenId> tokens = prefix_;
  tokens.insert(tokens.end(), attempts_.best->tokens.begin(), attempts_.best->tokens.end());
  return tokens;
}

base::Status Transcriber::TimeText() {
  const WhisperModel& model = decoder_.model();
  const std::vector<text::TokenId> tokens = BestTokens();
  std::vector<float> logprobs(prefix_.size(), 0.0f);
  logprobs.insert(logprobs.end(), attempts_.best->logprobs.begin(), attempts_.best->logprobs.end());
  logprobs.resize(tokens.size());
  if (tokens.empty()) return base::Ok();
  std::vector<size_t> first_token;
  transcript_.words = JoinWords(tokens, logprobs, model.tokens(), first_token);
  if (options_.word_times) {
    transcript_.words = TimeWords(tokens, logprobs, model.tokens(), AttentionOf(tokens));
    ClampToSpeech(transcript_.words, speech_);
  }
  if (options_.vocabulary != nullptr) {
    TRUNKLINE_RETURN_IF_FAILED(MendTerms(tokens, std::move(first_token)));
  }
  transcript_.text = TextOf(transcript_.words);
  return base::Ok();
}

base::Status Transcriber::MendTerms(std::span<const text::TokenId> tokens, std::vector<size_t> first_token) {
  const Vocabulary& vocabulary = *options_.vocabulary;
  std::vector<Word>& words = transcript_.words;
  first_token.push_back(tokens.size());
  size_t at = SplitWords(options_.prefix).size();
  while (const auto repair = vocabulary.FindRepair(transcript_.language, at, words)) {
    at = repair->at + 1;
    if (!repair->exact) {
      const auto run = std::span<const Word>(words).subspan(repair->at, repair->count);
      const size_t first = first_token[repair->at], end = first_token[repair->at + repair->count];
      const auto said = tokens.subspan(first, end - first);
      const auto term = decoder_.model().tokens().Encode(AsWritten(repair->text, TextOf(run)));
      TRUNKLINE_ASSIGN_OR_RETURN(const float likelier, Likelier(tokens.first(first), said, term));
      if (likelier > kMaxAdvantage) continue;
    }
    Vocabulary::Apply(*repair, words);
    const auto next = first_token.begin() + static_cast<ptrdiff_t>(repair->at) + 1;
    first_token.erase(next, next + static_cast<ptrdiff_t>(repair->count) - 1);
  }
  return base::Ok();
}

base::Result<float> Transcriber::Likelier(std::span<const text::TokenId> before,
                                          std::span<const text::TokenId> written,
                                          std::span<const text::TokenId> term) {
  TRUNKLINE_RETURN_IF_FAILED(ReadPrompt(false, before));
  TRUNKLINE_RETURN_IF_FAILED(decoder_.Collect());
  const size_t length = decoder_.length();
  const std::vector<float> after(decoder_.logits().begin(), decoder_.logits().end());
  const auto score = [&](std::span<const text::TokenId> text) -> base::Result<float> {
    float sum = 0;
    decoder_.Rewind(length);
    for (size_t i = 0; i < text.size(); ++i) {
      const std::span<const float> logits = i == 0 ? std::span<const float>(after) : decoder_.logits();
      sum += logits[static_cast<size_t>(text[i])] - LogSumExp(logits);
      if (i + 1 < text.size()) TRUNKLINE_RETURN_IF_FAILED(decoder_.Step(text.subspan(i, 1)));
    }
    return sum;
  };
  TRUNKLINE_ASSIGN_OR_RETURN(const float as_written, score(written));
  if (length + term.size() > WhisperDecoder::kMaxText) return HUGE_VALF;
  TRUNKLINE_ASSIGN_OR_RETURN(const float as_term, score(term));
  return as_written - as_term;
}

size_t Transcriber::PromptTokens() const {
  return StartOf(decoder_.model().marks(), options_.vocabulary.get()).size() + TaskTokens().size() + 1;
}

// Decodes the text again in one run, for its cross attention, when the search followed several texts, did not choose
// the last one, or used timestamps.
base::Status Transcriber::ReadText() {
  const std::vector<text::TokenId> tokens = BestTokens();
  if (tokens.empty() || !options_.word_times) return base::Ok();
  if (!options_.marks && decoder_.Attended(tokens, PromptTokens())) return base::Ok();
  TRUNKLINE_RETURN_IF_FAILED(ReadPrompt(false, prefix_));
  if (tokens.size() == prefix_.size()) return base::Ok();
  return decoder_.BeginStep(std::span(tokens).subspan(prefix_.size()));
}

Attention Transcriber::AttentionOf(std::span<const text::TokenId> tokens) const {
  const size_t prompt = PromptTokens();
  Attention attention;
  attention.heads = static_cast<size_t>(decoder_.model().settings().alignment_heads);
  attention.rows = decoder_.window().rows();
  attention.audio_rows = decoder_.window().audio_rows;
  // The first token of the text was chosen while the last token of the prompt was read.
  for (size_t i = 0; i <= tokens.size(); ++i) {
    const auto row = decoder_.attention(prompt - 1 + i);
    attention.values.insert(attention.values.end(), row.begin(), row.end());
  }
  return attention;
}

}  // namespace trunkline::asr
