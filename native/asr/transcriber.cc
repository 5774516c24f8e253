#include "asr/transcriber.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "asr/stable_prefix.h"

namespace trunkline::asr {
namespace {

constexpr GateLimits kLimits;
constexpr float kWarmer = 0.2f;
// Tokens that people can say in a second, with room: spelled letters and Devanagari need the most.
constexpr double kTokensPerSecond = 12;
constexpr double kTokensAlways = 16;

}  // namespace

void Transcriber::Begin(std::span<const float> samples, std::span<const Span> speech,
                        const TranscribeOptions& options) {
  samples_ = samples.first(std::min(samples.size(), kWindowSamples));
  speech_ = speech;
  options_ = options;
  transcript_ = {};
  best_.reset();
  retry_ = 0;
  chance_ = Chance(options.seed);
  TakePrefix();
  stage_ = Stage::kRead;
}

base::Result<bool> Transcriber::Step(const onnx::RunOptions* stop) {
  switch (stage_) {
    case Stage::kRead:
      TRUNKLINE_RETURN_IF_FAILED(decoder_.Encode(samples_, stop));
      stage_ = Stage::kPrompt;
      return false;
    case Stage::kPrompt:
      TRUNKLINE_RETURN_IF_FAILED(Prompt());
      TRUNKLINE_RETURN_IF_FAILED(StartAttempt(options_.temperature));
      stage_ = Stage::kWrite;
      return false;
    case Stage::kWrite:
      for (size_t i = 0; i < kTokensPerStep && stage_ == Stage::kWrite; ++i) {
        TRUNKLINE_ASSIGN_OR_RETURN(const bool complete, WriteToken());
        if (complete) TRUNKLINE_RETURN_IF_FAILED(NextAttempt());
      }
      return false;
    case Stage::kTime:
      TRUNKLINE_RETURN_IF_FAILED(TimeText());
      stage_ = Stage::kDone;
      return true;
    case Stage::kDone:
      return true;
  }
  return true;
}

// The first token's logits say both whether anybody speaks and in which language.
base::Status Transcriber::Prompt() {
  const WhisperMarks& marks = decoder_.model().marks();
  const std::array<text::TokenId, 1> start = {marks.start};
  TRUNKLINE_RETURN_IF_FAILED(decoder_.Step(start));
  const std::span<const float> logits = decoder_.logits();
  transcript_.no_speech = std::exp(logits[static_cast<size_t>(marks.no_speech)] - LogSumExp(logits));
  if (options_.language) {
    transcript_.language = *options_.language;
    return base::Ok();
  }
  const auto best = std::max_element(marks.languages.begin(), marks.languages.end(), [&](auto a, auto b) {
    return logits[static_cast<size_t>(a)] < logits[static_cast<size_t>(b)];
  });
  transcript_.language = static_cast<Language>(best - marks.languages.begin());
  return base::Ok();
}

base::Status Transcriber::StartAttempt(float temperature) {
  const WhisperMarks& marks = decoder_.model().marks();
  attempt_ = {};
  letter_ = Letter::kWhole;
  progress_ = {};
  temperature_ = temperature;
  attempt_.tokens = prefix_;
  attempt_.logprobs.assign(prefix_.size(), 0.0f);
  for (const text::TokenId token : prefix_) {
    letter_ = decoder_.model().rules().Next(transcript_.language, letter_, token);
  }
  decoder_.Rewind(1);
  std::vector<text::TokenId> task = {marks.languages[static_cast<size_t>(transcript_.language)],
                                     marks.transcribe, marks.no_timestamps};
  task.insert(task.end(), prefix_.begin(), prefix_.end());
  return decoder_.Step(task);
}

void Transcriber::TakePrefix() {
  prefix_.clear();
  if (options_.prefix.empty()) return;
  prefix_ = decoder_.model().tokens().Encode(" " + options_.prefix);
  // A prefix that leaves no room for more is no longer worth keeping.
  if (prefix_.size() > WhisperDecoder::kMostText / 2) prefix_.clear();
}

size_t Transcriber::MostTokens() const {
  const double seconds = static_cast<double>(samples_.size()) / dsp::LogMel::kRate;
  return std::min(WhisperDecoder::kMostText, static_cast<size_t>(kTokensAlways + kTokensPerSecond * seconds));
}

base::Result<bool> Transcriber::WriteToken() {
  const WhisperModel& model = decoder_.model();
  const std::span<float> logits = decoder_.logits();
  model.rules().Apply(logits, transcript_.language, letter_, attempt_.tokens.empty());
  const float sum = LogSumExp(logits);
  if (options_.vocabulary != nullptr) options_.vocabulary->Raise(progress_, transcript_.language, logits);
  const text::TokenId token = temperature_ > 0 ? Draw(logits, temperature_, chance_) : Best(logits);
  attempt_.logprobs.push_back(logits[static_cast<size_t>(token)] - sum);
  if (token == model.marks().end_of_text) {
    Judge(false);
    return true;
  }
  attempt_.tokens.push_back(token);
  letter_ = model.rules().Next(transcript_.language, letter_, token);
  if (options_.vocabulary != nullptr) options_.vocabulary->Advance(progress_, token);
  const size_t keep = std::max(BeforeLoop(attempt_.tokens), prefix_.size());
  if (keep < attempt_.tokens.size() || attempt_.tokens.size() >= MostTokens() || decoder_.full()) {
    const bool looped = keep < attempt_.tokens.size();
    attempt_.tokens.resize(keep);
    attempt_.logprobs.resize(keep);
    Judge(looped);
    return true;
  }
  TRUNKLINE_RETURN_IF_FAILED(decoder_.Step({&token, 1}));
  return false;
}

void Transcriber::Judge(bool looped) {
  float sum = 0;
  for (const float logprob : attempt_.logprobs) sum += logprob;
  attempt_.mean_logprob = sum / static_cast<float>(std::max<size_t>(1, attempt_.logprobs.size()));
  attempt_.looped = looped;
}

bool Transcriber::Doubted(const Attempt& attempt) const {
  return attempt.looped || attempt.mean_logprob < kLimits.least_logprob;
}

// Keeps the better of what was written so far, and tries again while it is doubted.
base::Status Transcriber::NextAttempt() {
  const bool better = !best_ || (best_->looped && !attempt_.looped) ||
                      (best_->looped == attempt_.looped && attempt_.mean_logprob > best_->mean_logprob);
  const bool doubted = Doubted(attempt_);
  if (better) best_ = attempt_;
  const bool silent =
      transcript_.no_speech >= kLimits.no_speech && best_->mean_logprob < kLimits.least_logprob;
  // Whoever asks for a temperature gets what it draws.
  const bool may_retry = options_.temperature <= 0 && retry_ < options_.retries;
  if (doubted && !silent && may_retry) {
    ++retry_;
    return StartAttempt(options_.temperature + kWarmer * static_cast<float>(retry_));
  }
  transcript_.mean_logprob = best_->mean_logprob;
  if (silent) best_->tokens.clear();
  stage_ = Stage::kTime;
  return base::Ok();
}

base::Status Transcriber::TimeText() {
  const WhisperModel& model = decoder_.model();
  const std::vector<text::TokenId>& tokens = best_->tokens;
  std::vector<float>& logprobs = best_->logprobs;
  logprobs.resize(tokens.size());
  if (tokens.empty()) return base::Ok();
  if (options_.word_times) {
    // The kept text may not be the last one written: then its attention is read again, in one run.
    if (attempt_.tokens != tokens) {
      TRUNKLINE_RETURN_IF_FAILED(StartAttempt(0));
      TRUNKLINE_RETURN_IF_FAILED(decoder_.Step(std::span(tokens).subspan(prefix_.size())));
    } else if (decoder_.length() < 4 + tokens.size()) {
      TRUNKLINE_RETURN_IF_FAILED(decoder_.Step({&tokens.back(), 1}));
    }
    Attention attention;
    attention.heads = static_cast<size_t>(model.settings().alignment_heads);
    attention.rows = decoder_.window().rows();
    attention.audio_rows = decoder_.window().audio_rows;
    // Token 3 is the last of the prompt: while it was read, the first of the text was chosen.
    for (size_t i = 0; i <= tokens.size(); ++i) {
      const auto row = decoder_.attention(3 + i);
      attention.values.insert(attention.values.end(), row.begin(), row.end());
    }
    transcript_.words = TimeWords(tokens, logprobs, model.tokens(), attention);
    ClampToSpeech(transcript_.words, speech_);
  } else {
    std::vector<size_t> first_token;
    transcript_.words = JoinWords(tokens, logprobs, model.tokens(), first_token);
  }
  if (options_.vocabulary != nullptr) {
    options_.vocabulary->Repair(transcript_.language, SplitWords(options_.prefix).size(), transcript_.words);
  }
  transcript_.text = TextOf(transcript_.words);
  return base::Ok();
}

}  // namespace trunkline::asr
