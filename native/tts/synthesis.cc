#include "tts/synthesis.h"

#include <algorithm>
#include <cmath>

#include "text/normalize.h"

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr int kSentencePauseMs = 280;
constexpr int kCommaPauseMs = 120;
constexpr int kJoinPauseMs = 30;

// A short first clause is ready sooner. Piper is fast enough for whole sentences, Kokoro's front takes about
// a tenth of the clause's length.
text::ClauseLimits LimitsFor(VoiceModel model) {
  return model == VoiceModel::kPiper ? text::ClauseLimits{80, 200, 12} : text::ClauseLimits{48, 180, 12};
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
  // Whole: no clause is cut short for the sake of its start.
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
  TRUNKLINE_ASSIGN_OR_RETURN(calibration_, models_->Calibrate(voice_, run));
  FinishOptions finish;
  finish.rate = rate();
  finish.gain = calibration_->gain * std::pow(10.0F, voice_.gain_db / 20);
  finish.tilt_db = voice_.tilt_db;
  finish.target_db = kTargetDb + voice_.gain_db;
  finisher_ = std::make_unique<Finisher>(finish);
  stage_ = Stage::kFront;
  return base::Ok();
}

int Synthesis::PauseBefore() const {
  if (next_ == 0) return 0;
  const text::ClauseEnd end = clauses_[next_ - 1].end;
  const int pause = end == text::ClauseEnd::kSentence ? kSentencePauseMs
                    : end == text::ClauseEnd::kPause  ? kCommaPauseMs
                                                      : kJoinPauseMs;
  return static_cast<int>(static_cast<float>(pause) / voice_.speed);
}

Status Synthesis::BeginClause(const onnx::RunOptions* run, std::vector<float>& out) {
  finisher_->BeginClause(PauseBefore());
  starts_.push_back(given_);
  return voice_.model == VoiceModel::kPiper ? SpeakPiper(run, out) : BeginKokoro(run);
}

Status Synthesis::SpeakPiper(const onnx::RunOptions* run, std::vector<float>& out) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said,
                             text::PiperPhonemes(models_->phonemes(), clauses_[next_].text, accent_));
  auto samples =
      models_->piper().Speak(said, voice_.speed, voice_.range, options_.seed * 1'000'003 + next_, run);
  // A clause of sounds that the model does not know is silent, not an error.
  if (!samples.ok() && samples.status().code() != Code::kInvalidArgument) return samples.status();
  if (samples.ok()) finisher_->Add(*samples, out);
  EndClause(out);
  return base::Ok();
}

Status Synthesis::BeginKokoro(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said,
                             text::KokoroPhonemes(models_->phonemes(), clauses_[next_].text, accent_));
  auto tokens = models_->kokoro().Encode(said);
  if (tokens.size() > kMostTokens) tokens.resize(kMostTokens);
  if (tokens.empty()) {
    std::vector<float> none;
    EndClause(none);
    return base::Ok();
  }
  const Prosody prosody{voice_.speed, voice_.pitch, voice_.range, calibration_->center_hz};
  TRUNKLINE_ASSIGN_OR_RETURN(clause_,
                             models_->kokoro().Front(tokens, style_->row(tokens.size()), prosody, run));
  frame_ = options_.whole ? 0 : clause_->speech_begins();
  window_ = sounded() ? options_.largest_window : options_.first_window;
  stage_ = Stage::kWindow;
  return base::Ok();
}

Status Synthesis::Window(const onnx::RunOptions* run, std::vector<float>& out) {
  if (options_.whole) {
    TRUNKLINE_ASSIGN_OR_RETURN(const auto whole, models_->kokoro().Measure(*clause_, run));
    finisher_->Add(whole.samples, out);
    EndClause(out);
    return base::Ok();
  }
  size_t end = std::min(clause_->frames, frame_ + window_);
  // A rest shorter than the context would cost more than it holds.
  if (clause_->frames - end < kContext) end = clause_->frames;
  TRUNKLINE_ASSIGN_OR_RETURN(const auto samples,
                             models_->kokoro().Window(*clause_, frame_, end, calibration_->statistics, run));
  finisher_->Add(samples, out);
  frame_ = end;
  window_ = std::min(options_.largest_window, window_ * 2);
  if (frame_ == clause_->frames) EndClause(out);
  return base::Ok();
}

void Synthesis::EndClause(std::vector<float>& out) {
  finisher_->EndClause(out);
  clause_.reset();
  ++next_;
  stage_ = next_ < clauses_.size() ? Stage::kFront : Stage::kDone;
}

}  // namespace trunkline::tts
