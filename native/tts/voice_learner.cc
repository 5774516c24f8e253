#include "tts/voice_learner.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tts/finisher.h"

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr float kVoicedHz = 60;
constexpr float kActiveDb = -45;

// Everyday sentences of a call, short, with a statement and a question: what most calls sound like.
std::array<std::string_view, 2> LearningSentences(text::Lang lang) {
  switch (lang) {
    case text::Lang::kEs:
      return {"Por favor, espere un momento mientras busco sus datos.",
              "¿A qué hora quiere venir el jueves?"};
    case text::Lang::kFr:
      return {"Veuillez patienter un instant pendant que je cherche.",
              "À quelle heure voulez-vous venir jeudi?"};
    case text::Lang::kDe:
      return {"Bitte warten Sie einen Moment, ich suche Ihre Daten.",
              "Um wie viel Uhr möchten Sie am Donnerstag kommen?"};
    case text::Lang::kHi:
      return {"कृपया एक क्षण रुकिए, मैं आपकी जानकारी देख रही हूँ।", "आप गुरुवार को कितने बजे आना चाहेंगे?"};
    case text::Lang::kIt:
      return {"Attenda un momento, per favore, mentre cerco i suoi dati.", "A che ora vuole venire giovedì?"};
    case text::Lang::kPt:
      return {"Por favor, aguarde um momento enquanto procuro os seus dados.",
              "A que horas você quer vir na quinta-feira?"};
    case text::Lang::kEn:
      break;
  }
  return {"Please hold the line while I look up your details.",
          "What time would you like to come in on Thursday?"};
}

}  // namespace

void VoiceLearner::ActivePower::Add(std::span<const float> samples, size_t frame) {
  for (size_t at = 0; at + frame <= samples.size(); at += frame) {
    double power = 0;
    for (size_t i = at; i < at + frame; ++i) power += static_cast<double>(samples[i]) * samples[i];
    power /= static_cast<double>(frame);
    if (power < std::pow(10.0, kActiveDb / 10)) continue;
    sum_ += power;
    ++count_;
  }
}

float VoiceLearner::ActivePower::Gain() const {
  if (count_ == 0) return 1;
  const double db = 10 * std::log10(sum_ / static_cast<double>(count_));
  return static_cast<float>(
      std::pow(10.0, std::clamp(static_cast<double>(kTargetDb) - db, -20.0, 20.0) / 20));
}

VoiceLearner::VoiceLearner(std::shared_ptr<SpeechModels> models, VoiceSpec voice)
    : models_(std::move(models)), voice_(std::move(voice)) {}

Result<std::shared_ptr<const Calibration>> VoiceLearner::Step(const onnx::RunOptions* run) {
  if (auto known = models_->FindCalibration(voice_)) return known;
  TRUNKLINE_RETURN_IF_FAILED(clause_ == nullptr ? Read(run) : Listen(run));
  if (sentence_ < LearningSentences(voice_.lang).size()) return std::shared_ptr<const Calibration>();
  return models_->KeepCalibration(voice_, Learnt());
}

Status VoiceLearner::Read(const onnx::RunOptions* run) {
  text::Accent accent;
  if (!text::ParseAccent(voice_.accent, accent))
    return Status(Code::kInvalidArgument, "no accent " + voice_.accent);
  const std::string_view sentence = LearningSentences(voice_.lang).at(sentence_);
  if (voice_.model == VoiceModel::kPiper) {
    TRUNKLINE_ASSIGN_OR_RETURN(const auto said, text::PiperPhonemes(models_->phonemes(), sentence, accent));
    TRUNKLINE_ASSIGN_OR_RETURN(const auto samples, models_->piper().Speak(said, 1, 1, 1, run));
    power_.Add(samples, kPiperRate / 100);
    ++sentence_;
    return base::Ok();
  }
  TRUNKLINE_ASSIGN_OR_RETURN(const auto table, models_->styles().Get(voice_.styles));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said, text::KokoroPhonemes(models_->phonemes(), sentence, accent));
  const auto tokens = models_->kokoro().Encode(said);
  TRUNKLINE_ASSIGN_OR_RETURN(clause_,
                             models_->kokoro().Front(tokens, table->row(tokens.size()), Prosody{}, run));
  return base::Ok();
}

Status VoiceLearner::Listen(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto whole, models_->kokoro().Measure(*clause_, run));
  const auto share = static_cast<double>(clause_->frames);
  statistics_.resize(whole.statistics.size(), 0);
  for (size_t i = 0; i < statistics_.size(); ++i)
    statistics_[i] += share * static_cast<double>(whole.statistics[i]);
  frames_ += share;
  power_.Add(whole.samples, kKokoroRate / 100);
  for (const float f0 : clause_->f0) {
    if (f0 < kVoicedHz) continue;
    hertz_ += static_cast<double>(f0);
    ++voiced_;
  }
  clause_.reset();
  ++sentence_;
  return base::Ok();
}

Calibration VoiceLearner::Learnt() const {
  Calibration learnt;
  for (const double sum : statistics_) learnt.statistics.push_back(static_cast<float>(sum / frames_));
  if (voiced_ > 0) learnt.center_hz = static_cast<float>(hertz_ / voiced_);
  learnt.gain = power_.Gain();
  return learnt;
}

}  // namespace trunkline::tts
