#include "tts/synthesis.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>

#include "text/reading/reading.h"

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr int kSentencePauseMs = 280;
constexpr int kCommaPauseMs = 120;
constexpr int kJoinPauseMs = 30;
constexpr float kStressDb = 3;

// A short first clause is ready sooner. Piper is fast enough for whole sentences; Kokoro's front takes about
// a tenth of the clause's length.
text::ClauseLimits LimitsFor(VoiceModel model) {
  return model == VoiceModel::kPiper ? text::ClauseLimits{80, 200, 12} : text::ClauseLimits{48, 180, 12};
}

// The level of a clause of so many frames relative to the voice's mean: a word or two are nearly all stressed
// vowels. Measured on sixteen texts by seven voices and on eight single words by all English ones;
// docs/decisions/070-streaming-speech.md.
float LouderDb(VoiceModel model, float frames) {
  if (model == VoiceModel::kPiper) return std::clamp(2.6F - 2.7F * std::log2(frames / 65), -0.6F, 2.6F);
  return std::clamp(2.0F - 1.5F * std::log2(frames / 130), 0.0F, 2.0F);
}

}  // namespace

Result<std::unique_ptr<Synthesis>> Synthesis::Open(std::shared_ptr<SpeechModels> models, VoiceSpec voice,
                                                   std::string_view text, const SynthesisOptions& options) {
  std::unique_ptr<Synthesis> synthesis(new Synthesis(std::move(models), std::move(voice), options));
  const VoiceSpec& spec = synthesis->voice_;
  if (!text::ParseAccent(spec.accent, synthesis->accent_))
    return Status(Code::kInvalidArgument, "no accent " + spec.accent);
  if (spec.model == VoiceModel::kKokoro) {
    TRUNKLINE_ASSIGN_OR_RETURN(synthesis->style_, synthesis->models_->styles().Get(spec.styles));
  }
  auto limits = LimitsFor(spec.model);
  // `whole`: no clause is shortened for the sake of its start.
  if (options.whole) limits.first = limits.least = limits.most;
  synthesis->clauses_ = text::SplitClauses(text::Normalize(text, spec.lang), limits);
  if (synthesis->clauses_.empty()) synthesis->stage_ = Stage::kDone;
  return synthesis;
}

Status Synthesis::Step(const onnx::RunOptions* run, std::vector<float>& out) {
  const size_t before = out.size();
  Status status;
  switch (stage_) {
    case Stage::kCalibrate:
      status = Learn(run);
      break;
    case Stage::kFront:
      status = BeginClause(run, out);
      break;
    case Stage::kWindow:
      status = Window(run, out);
      break;
    case Stage::kDone:
      break;
  }
  given_ += out.size() - before;
  return status;
}

Status Synthesis::Learn(const onnx::RunOptions* run) {
  if (learner_ == nullptr) learner_ = std::make_unique<VoiceLearner>(models_, voice_);
  TRUNKLINE_ASSIGN_OR_RETURN(calibration_, learner_->Step(run));
  if (calibration_ == nullptr) return base::Ok();
  learner_.reset();
  FinishOptions finish;
  finish.rate = rate();
  finish.gain = calibration_->gain * std::pow(10.0F, voice_.gain_db / 20);
  finish.tilt_db = voice_.tilt_db;
  finish.target_db = kTargetDb + voice_.gain_db;
  finisher_ = std::make_unique<Finisher>(finish);
  stage_ = Stage::kFront;
  return base::Ok();
}

int Synthesis::PauseBehind(size_t count) const {
  if (count == 0) return 0;
  const text::ClauseEnd end = clauses_[count - 1].end;
  const int pause = end == text::ClauseEnd::kSentence ? kSentencePauseMs
                    : end == text::ClauseEnd::kPause  ? kCommaPauseMs
                                                      : kJoinPauseMs;
  return static_cast<int>(static_cast<float>(pause) / voice_.speed);
}

Status Synthesis::BeginClause(const onnx::RunOptions* run, std::vector<float>& out) {
  finisher_->BeginClause(PauseBehind(next_));
  starts_.push_back(given_);
  TRUNKLINE_RETURN_IF_FAILED(voice_.model == VoiceModel::kPiper ? BeginPiper(run) : BeginKokoro(run));
  // A clause of sounds that the model does not know is silent, not an error.
  if (clause_ == nullptr && piper_stream_ == nullptr) {
    EndClause(out);
    return base::Ok();
  }
  stage_ = Stage::kWindow;
  window_ = sounded() ? std::max(window_, options_.first_window) : options_.first_window;
  return base::Ok();
}

Status Synthesis::BeginPiper(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said,
                             text::PiperPhonemes(models_->phonemes(), clauses_[next_].text, accent_));
  auto clause =
      models_->piper().Read(said, voice_.speed, voice_.range, options_.seed * 1'000'003 + next_, run);
  if (clause.ok()) {
    ExpectLoudness(clause->frames);
    piper_stream_ = models_->piper().Decode(std::move(*clause), options_.whole);
  }
  return clause.status().code() == Code::kInvalidArgument ? base::Ok() : clause.status();
}

// The model is silent for a word or two without punctuation: "Hi" is silence, "Hi." is spoken.
std::string Synthesis::EndedText() const {
  const std::string& text = clauses_[next_].text;
  const bool last = next_ + 1 == clauses_.size();
  const bool open = !text.empty() && (std::isalnum(static_cast<unsigned char>(text.back())) != 0 ||
                                      static_cast<unsigned char>(text.back()) >= 0x80);
  const bool danda = text.ends_with("\u0964") || text.ends_with("\u2026");
  return last && open && !danda ? text + "." : text;
}

Status Synthesis::BeginKokoro(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said,
                             text::KokoroPhonemes(models_->phonemes(), EndedText(), accent_));
  Prosody prosody{voice_.speed, voice_.pitch, voice_.range, calibration_->center_hz, {}};
  auto tokens = models_->kokoro().Encode(said, &prosody.stressed);
  if (tokens.size() > kMostTokens) tokens.resize(kMostTokens);
  if (tokens.empty()) return base::Ok();
  TRUNKLINE_ASSIGN_OR_RETURN(clause_,
                             models_->kokoro().Front(tokens, style_->row(tokens.size()), prosody, run));
  ExpectLoudness(clause_->frames);
  if (options_.whole) return base::Ok();
  const size_t begins = clause_->speech_begins();
  const auto statistics = calibration_->StatisticsFor(clause_->frames);
  TRUNKLINE_ASSIGN_OR_RETURN(stream_, models_->kokoro().Generate(*clause_, begins, statistics));
  unheard_ = std::min(begins, kContext) * kFrameSamples;
  Lift(begins);
  return base::Ok();
}

// A slower voice says the same words in more frames at the same level.
void Synthesis::ExpectLoudness(size_t frames) {
  finisher_->Expect(LouderDb(voice_.model, static_cast<float>(std::max<size_t>(frames, 1)) * voice_.speed));
}

// Raises stressed words against the leveller; the audio begins at the frame `from`.
void Synthesis::Lift(size_t from) {
  std::vector<float> gains;
  for (size_t i = from; i < clause_->stress.size(); ++i)
    gains.push_back(std::pow(10.0F, kStressDb * clause_->stress[i] / 20));
  finisher_->Lift(std::move(gains), kFrameSamples);
}

Status Synthesis::Whole(const onnx::RunOptions* run, std::vector<float>& out) {
  std::vector<float> made;
  if (clause_ != nullptr) {
    Lift(0);
    TRUNKLINE_ASSIGN_OR_RETURN(auto whole, models_->kokoro().Measure(*clause_, run));
    made = std::move(whole.samples);
  } else {
    while (!piper_stream_->done()) TRUNKLINE_RETURN_IF_FAILED(piper_stream_->Step(SIZE_MAX / 2, run, made));
  }
  finisher_->Add(made, out);
  EndClause(out);
  return base::Ok();
}

Status Synthesis::MakeSound(const onnx::RunOptions* run, std::vector<float>& made) {
  if (piper_stream_ != nullptr) return piper_stream_->Step(window_, run, made);
  TRUNKLINE_RETURN_IF_FAILED(stream_->Step(window_ + unheard_ / kFrameSamples, run, made));
  const size_t skip = std::min(unheard_, made.size());
  unheard_ -= skip;
  made.erase(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(skip));
  return base::Ok();
}

// A window grows as long as its step stays short.
void Synthesis::PlanWindow(double milliseconds) {
  window_ = std::clamp(milliseconds < kStepMs / 2 ? window_ * 2
                       : milliseconds > kStepMs   ? window_ / 2
                                                  : window_,
                       std::min(options_.first_window, options_.largest_window), options_.largest_window);
}

Status Synthesis::Window(const onnx::RunOptions* run, std::vector<float>& out) {
  if (options_.whole) return Whole(run, out);
  std::vector<float> made;
  const auto began = std::chrono::steady_clock::now();
  TRUNKLINE_RETURN_IF_FAILED(MakeSound(run, made));
  const double took =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  if (!made.empty()) PlanWindow(took);
  finisher_->Add(made, out);
  if (!(stream_ != nullptr ? stream_->done() : piper_stream_->done())) return base::Ok();
  // An unusual clause can be silent with the voice's means, and is not with its own.
  if (clause_ != nullptr && !finisher_->clause_sounded()) return Whole(run, out);
  EndClause(out);
  return base::Ok();
}

void Synthesis::EndClause(std::vector<float>& out) {
  finisher_->EndClause(out);
  stream_.reset();
  piper_stream_.reset();
  clause_.reset();
  ++next_;
  stage_ = next_ < clauses_.size() ? Stage::kFront : Stage::kDone;
}

}  // namespace trunkline::tts
