#include "tts/synthesis.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <utility>

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

// A short first clause is ready sooner, and Piper is fast enough for whole sentences. A Kokoro that the operator added
// makes a clause in one step, which keeps a thread of the pool for nearly as long as the clause lasts.
text::ClauseLimits LimitsFor(const VoiceSpec& voice, const text::Accent& accent) {
  if (voice.model != VoiceModel::kKokoro) return {80, 200, 12};
  // A Chinese character is a syllable of up to six phonemes, a kana one of up to three.
  if (accent.dictionary == text::Dictionary::kMandarin)
    return voice.is_added() ? text::ClauseLimits{12, 24, 3} : text::ClauseLimits{24, 90, 6};
  if (accent.dictionary == text::Dictionary::kJapanese)
    return voice.is_added() ? text::ClauseLimits{16, 40, 4} : text::ClauseLimits{32, 130, 9};
  return voice.is_added() ? text::ClauseLimits{24, 60, 6} : text::ClauseLimits{48, 180, 12};
}

// The level of a clause of this many frames relative to the voice's mean: a word or two are nearly all
// stressed vowels. Measured on sixteen texts by seven voices and on eight single words by all English
// ones; docs/decisions/070-streaming-speech.md.
float LouderDb(VoiceModel model, float frames) {
  if (model == VoiceModel::kPiper) return std::clamp(2.6F - 2.7F * std::log2(frames / 65), -0.6F, 2.6F);
  return std::clamp(2.0F - 1.5F * std::log2(frames / 130), 0.0F, 2.0F);
}

}  // namespace

Result<std::unique_ptr<Synthesis>> Synthesis::Open(std::shared_ptr<SpeechModels> models, VoiceSpec voice,
                                                   std::string_view text, const SynthesisOptions& options) {
  std::unique_ptr<Synthesis> synthesis(new Synthesis(std::move(models), std::move(voice), text, options));
  const VoiceSpec& spec = synthesis->voice_;
  TRUNKLINE_ASSIGN_OR_RETURN(synthesis->accent_, synthesis->models_->FindAccent(spec));
  if (spec.model == VoiceModel::kKokoro && !spec.is_added()) {
    TRUNKLINE_ASSIGN_OR_RETURN(synthesis->style_, synthesis->models_->styles().Get(spec.styles));
  }
  return synthesis;
}

Status Synthesis::ReadText() {
  TRUNKLINE_ASSIGN_OR_RETURN(accent_, models_->AccentOf(voice_));
  auto limits = LimitsFor(voice_, accent_);
  // With `whole`, no clause is shortened for the sake of its start.
  if (options_.whole) limits.first = limits.least = limits.most;
  // The means that a voice learnt from some sentences do not hold for others in Chinese, which came out up to 9 dB too
  // soft: each clause has its own.
  if (accent_.dictionary == text::Dictionary::kMandarin) options_.whole = true;
  const std::string text = std::exchange(text_, {});
  clauses_ = text::SplitClauses(text::SeparateWords(text::Normalize(text, voice_.lang), accent_), limits);
  stage_ = clauses_.empty() ? Stage::kDone : Stage::kCalibrate;
  return base::Ok();
}

Status Synthesis::Step(const onnx::RunOptions* run, std::vector<float>& out) {
  const size_t before = out.size();
  Status status;
  // The text is read in the step that also finds the calibration, so that it costs no turn of the worker pool.
  if (stage_ == Stage::kText) TRUNKLINE_RETURN_IF_FAILED(ReadText());
  switch (stage_) {
    case Stage::kText:
      break;
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
  TRUNKLINE_RETURN_IF_FAILED(voice_.model == VoiceModel::kPiper    ? BeginPiper(run)
                             : voice_.model == VoiceModel::kHibari ? BeginHibari(run)
                             : voice_.is_added()                   ? BeginGraph(run)
                                                                   : BeginKokoro(run));
  // A clause of phonemes that the model lacks is silent, not an error.
  if (clause_ == nullptr && stream_ == nullptr && piper_stream_ == nullptr && hibari_stream_ == nullptr &&
      made_sound_ == nullptr) {
    EndClause(out);
    return base::Ok();
  }
  stage_ = Stage::kWindow;
  window_ = sounded() ? std::max(window_, options_.first_window) : options_.first_window;
  return base::Ok();
}

Status Synthesis::BeginPiper(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(piper_, models_->PiperOf(voice_));
  const Piper& piper = *piper_;
  TRUNKLINE_ASSIGN_OR_RETURN(tokens_, piper.Pronounce(models_->phonemes(), clauses_[next_].text, accent_));
  if (tokens_.empty()) return base::Ok();
  const Opening opening = Plan(piper.space(), kPiperOpening);
  auto clause = ReadPiper(opening.read, run);
  if (!clause.ok()) return clause.status().code() == Code::kInvalidArgument ? base::Ok() : clause.status();
  ExpectLoudness(clause->frames * tokens_.size() / opening.read);
  piper_stream_ = piper.Decode(std::move(*clause), options_.whole);
  if (!opening.joints.empty()) piper_stream_->StopBefore(UnvoicedJoint(piper, tokens_, opening.joints));
  return base::Ok();
}

// A stressed word changes its surroundings, so its clause is read whole; so is a later clause, because
// there is time while earlier ones are played.
Opening Synthesis::Plan(int64_t space, const OpeningLimits& limits) const {
  if (options_.whole || !options_.openings || sounded() || prosody_.HasStress()) return {tokens_.size(), {}};
  return PlanOpening(tokens_, space, limits);
}

Result<PiperClause> Synthesis::ReadPiper(size_t tokens, const onnx::RunOptions* run) {
  tokens_read_ += tokens;
  return piper_->Read(std::span<const int64_t>(tokens_).first(tokens), voice_.speed, voice_.range,
                      options_.seed * 1'000'003 + next_, run, voice_.speaker);
}

// The graph is so small that the whole clause is read before its first audio.
Status Synthesis::BeginHibari(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said,
                             text::KokoroPhonemes(models_->phonemes(), EndedText(), accent_));
  auto tokens = models_->kokoro().Encode(said);
  if (tokens.size() > kHibariMostTokens) tokens.resize(kHibariMostTokens);
  if (tokens.empty()) return base::Ok();
  tokens_read_ += tokens.size();
  TRUNKLINE_ASSIGN_OR_RETURN(
      hibari_stream_,
      models_->hibari().Read(tokens, {voice_.speed, voice_.pitch, voice_.range, calibration_->center_hz},
                             options_.seed * 1'000'003 + next_, run));
  ExpectLoudness(hibari_stream_->frames());
  return base::Ok();
}

Status Synthesis::BeginGraph(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto graph, models_->GraphOf(voice_));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said,
                             text::KokoroPhonemes(models_->phonemes(), EndedText(), accent_));
  auto tokens = graph->Encode(said);
  if (tokens.size() > kMaxTokens) tokens.resize(kMaxTokens);
  if (tokens.empty()) return base::Ok();
  tokens_read_ += tokens.size();
  TRUNKLINE_ASSIGN_OR_RETURN(const auto style, graph->styles().Get(voice_.styles));
  TRUNKLINE_ASSIGN_OR_RETURN(auto samples, graph->Read(tokens, style->row(tokens.size()), voice_.speed, run));
  made_sound_ = std::make_unique<MadeSound>(std::move(samples));
  ExpectLoudness(made_sound_->size() / kFrameSamples);
  return base::Ok();
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
  const Kokoro& kokoro = models_->kokoro();
  prosody_ = {voice_.speed, voice_.pitch, voice_.range, calibration_->center_hz, {}};
  tokens_ = kokoro.Encode(said, &prosody_.stressed);
  if (tokens_.size() > kMaxTokens) tokens_.resize(kMaxTokens);
  if (tokens_.empty()) return base::Ok();
  const Opening opening = Plan(kokoro.space(), kKokoroOpening);
  const std::span tokens = std::span<const int64_t>(tokens_).first(opening.read);
  TRUNKLINE_ASSIGN_OR_RETURN(auto clause, kokoro.Read(tokens, style_->row(tokens_.size()), prosody_, run));
  tokens_read_ += tokens.size();
  // The opening predicts the whole clause's length.
  const size_t frames = clause->frames * tokens_.size() / opening.read;
  ExpectLoudness(frames);
  if (options_.whole) {
    clause_ = std::move(clause);
    return base::Ok();
  }
  const size_t begins = clause->speech_begins();
  const auto statistics = calibration_->StatisticsFor(frames);
  Lift(*clause, begins);
  // A token of the clause is one further in its reading, which begins with silence.
  const size_t joint = opening.joints.empty() ? 0 : SoftestJoint(*clause, opening.joints) + 1;
  TRUNKLINE_ASSIGN_OR_RETURN(stream_, kokoro.Generate(std::move(*clause), begins, statistics));
  if (joint > 0) stream_->StopBefore(joint);
  unheard_ = std::min(begins, kContext) * kFrameSamples;
  return base::Ok();
}

Status Synthesis::ReadRest(const onnx::RunOptions* run) {
  if (piper_stream_ != nullptr) {
    TRUNKLINE_ASSIGN_OR_RETURN(const auto whole, ReadPiper(tokens_.size(), run));
    piper_stream_->Continue(whole);
    return base::Ok();
  }
  TRUNKLINE_ASSIGN_OR_RETURN(const auto whole,
                             models_->kokoro().Read(tokens_, style_->row(tokens_.size()), prosody_, run));
  tokens_read_ += tokens_.size();
  stream_->Continue(*whole);
  return base::Ok();
}

// A slower voice needs more frames for the same words, at the same level.
void Synthesis::ExpectLoudness(size_t frames) {
  finisher_->Expect(LouderDb(voice_.model, static_cast<float>(std::max<size_t>(frames, 1)) * voice_.speed));
}

// Raises stressed words against the leveller; the audio begins at the frame `from`.
void Synthesis::Lift(const KokoroClause& clause, size_t from) {
  std::vector<float> gains;
  for (size_t i = from; i < clause.stress.size(); ++i)
    gains.push_back(std::pow(10.0F, kStressDb * clause.stress[i] / 20));
  finisher_->Lift(std::move(gains), kFrameSamples);
}

Status Synthesis::Whole(const onnx::RunOptions* run, std::vector<float>& out) {
  std::vector<float> made;
  if (made_sound_ != nullptr) {
    made_sound_->Step(made_sound_->size(), made);
  } else if (hibari_stream_ != nullptr) {
    hibari_stream_->Step(hibari_stream_->frames(), made);
  } else if (piper_stream_ == nullptr) {
    const KokoroClause& clause = stream_ != nullptr ? stream_->clause() : *clause_;
    Lift(clause, 0);
    TRUNKLINE_ASSIGN_OR_RETURN(auto whole, models_->kokoro().Measure(clause, run));
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
  if (hibari_stream_ != nullptr) {
    hibari_stream_->Step(window_, made);
    return base::Ok();
  }
  if (made_sound_ != nullptr) {
    made_sound_->Step(window_ * kFrameSamples, made);
    return base::Ok();
  }
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
  if (WaitsForRest() && !pending()) return ReadRest(run);
  std::vector<float> made;
  const auto began = std::chrono::steady_clock::now();
  TRUNKLINE_RETURN_IF_FAILED(MakeSound(run, made));
  const double took =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  if (!made.empty()) PlanWindow(took);
  finisher_->Add(made, out);
  if (!ClauseDone()) return base::Ok();
  // An unusual clause can be silent with the voice's means, and is not with its own.
  if (stream_ != nullptr && !finisher_->clause_sounded()) return Whole(run, out);
  EndClause(out);
  return base::Ok();
}

bool Synthesis::WaitsForRest() const {
  if (stream_ != nullptr) return stream_->waits();
  return piper_stream_ != nullptr && piper_stream_->waits();
}

bool Synthesis::ClauseDone() const {
  if (stream_ != nullptr) return stream_->done();
  if (piper_stream_ != nullptr) return piper_stream_->done();
  return made_sound_ != nullptr ? made_sound_->done() : hibari_stream_->done();
}

void Synthesis::EndClause(std::vector<float>& out) {
  finisher_->EndClause(out);
  stream_.reset();
  piper_stream_.reset();
  hibari_stream_.reset();
  made_sound_.reset();
  clause_.reset();
  ++next_;
  stage_ = next_ < clauses_.size() ? Stage::kFront : Stage::kDone;
}

}  // namespace trunkline::tts
