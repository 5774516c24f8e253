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
constexpr float kActiveSampleDb = -45;
constexpr size_t kPiperStretch = 96;
// A Kokoro that the operator added makes what it is given in one step: the beginning of a sentence is enough to measure.
constexpr size_t kGraphTokens = 60;

// Typical sentences of calls, from a word to a long sentence, a statement and a question.
using Sentences = std::array<std::string_view, 6>;

Sentences LearningSentences(text::Lang lang) {
  switch (lang) {
    case text::Lang::kEs:
      return {"¡Oh!",
              "Por supuesto.",
              "¿Cómo se llama usted?",
              "Por favor, espere un momento mientras busco sus datos.",
              "¿A qué hora quiere venir el jueves?",
              "Abrimos de lunes a viernes, y puede llamarnos por teléfono hasta las seis de la tarde."};
    case text::Lang::kFr:
      return {"Oh!",
              "Bien sûr.",
              "Quel est votre nom?",
              "Veuillez patienter un instant pendant que je cherche.",
              "À quelle heure voulez-vous venir jeudi?",
              "Nous sommes ouverts du lundi au vendredi, et vous pouvez nous appeler jusqu'à six heures du "
              "soir."};
    case text::Lang::kDe:
      return {"Oh!",
              "Natürlich.",
              "Wie ist Ihr Name?",
              "Bitte warten Sie einen Moment, ich suche Ihre Daten.",
              "Um wie viel Uhr möchten Sie am Donnerstag kommen?",
              "Wir haben von Montag bis Freitag geöffnet, und Sie erreichen uns am Telefon bis sechs Uhr "
              "abends."};
    case text::Lang::kHi:
      return {"ओह!",
              "ज़रूर।",
              "आपका नाम क्या है?",
              "कृपया एक क्षण रुकिए, मैं आपकी जानकारी देख रही हूँ।",
              "आप गुरुवार को कितने बजे आना चाहेंगे?",
              "हम सोमवार से शुक्रवार तक खुले हैं, और आप शाम छह बजे तक हमें फ़ोन कर सकते हैं।"};
    case text::Lang::kIt:
      return {"Oh!",
              "Certo.",
              "Come si chiama lei?",
              "Attenda un momento, per favore, mentre cerco i suoi dati.",
              "A che ora vuole venire giovedì?",
              "Siamo aperti dal lunedì al venerdì, e può telefonarci fino alle sei di sera."};
    case text::Lang::kPt:
      return {"Oh!",
              "Claro que sim.",
              "Qual é o seu nome?",
              "Por favor, aguarde um momento enquanto procuro os seus dados.",
              "A que horas você quer vir na quinta-feira?",
              "Abrimos de segunda a sexta-feira, e você pode ligar para nós até as seis da tarde."};
    case text::Lang::kZh:
      return {"哦!",
              "当然可以.",
              "请问您贵姓?",
              "请您稍等, 我马上为您查询.",
              "您希望星期四几点过来?",
              "我们从星期一到星期五营业, 下午六点以前您都可以打电话联系我们."};
    case text::Lang::kJa:
      return {"おお!",
              "もちろんです.",
              "お名前を教えていただけますか?",
              "少々お待ちください, ただいまお調べします.",
              "木曜日の何時にいらっしゃいますか?",
              "月曜日から金曜日まで営業しており, 午後六時までお電話でお問い合わせいただけます."};
    case text::Lang::kOther:
      // The phonemizer reads numbers in every language.
      return {"0!",          "1, 2.",
              "3, 4, 5?",    "1, 2, 3, 4, 5, 6, 7, 8, 9, 10.",
              "21, 22, 23?", "100, 200, 300, 400, 500, 600, 700, 800, 900."};
    case text::Lang::kEn:
      break;
  }
  return {"Oh!",
          "Of course.",
          "What is your name?",
          "Please hold the line while I look up your details.",
          "What time would you like to come in on Thursday?",
          "We are open from Monday to Friday, and you can reach us by telephone until six in the evening."};
}

}  // namespace

void VoiceLearner::ActivePower::Add(std::span<const float> samples, size_t frame) {
  for (size_t at = 0; at + frame <= samples.size(); at += frame) {
    double power = 0;
    for (size_t i = at; i < at + frame; ++i) power += static_cast<double>(samples[i]) * samples[i];
    power /= static_cast<double>(frame);
    if (power < std::pow(10.0, kActiveSampleDb / 10)) continue;
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
  if (voice_.model == VoiceModel::kPiper && piper_ == nullptr) {
    TRUNKLINE_ASSIGN_OR_RETURN(piper_, models_->PiperOf(voice_));
  }
  if (voice_.model == VoiceModel::kKokoro && voice_.is_added()) {
    TRUNKLINE_RETURN_IF_FAILED(models_->GraphOf(voice_).status());
  }
  if (auto known = models_->FindCalibration(voice_)) return known;
  TRUNKLINE_RETURN_IF_FAILED(clause_ != nullptr   ? Listen(run)
                             : stream_ != nullptr ? ListenToPiper(run)
                                                  : Read(run));
  if (sentence_ < LearningSentences(voice_.lang).size()) return std::shared_ptr<const Calibration>();
  return models_->KeepCalibration(voice_, Learnt());
}

Status VoiceLearner::Read(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto accent, models_->AccentOf(voice_));
  const std::string sentence = text::SeparateWords(LearningSentences(voice_.lang).at(sentence_), accent);
  if (voice_.model == VoiceModel::kPiper) return ReadPiper(sentence, accent, run);
  if (voice_.model == VoiceModel::kHibari) return ListenToHibari(sentence, accent, run);
  if (voice_.is_added()) return ListenToGraph(sentence, accent, run);
  TRUNKLINE_ASSIGN_OR_RETURN(const auto table, models_->styles().Get(voice_.styles));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said, text::KokoroPhonemes(models_->phonemes(), sentence, accent));
  const auto tokens = models_->kokoro().Encode(said);
  TRUNKLINE_ASSIGN_OR_RETURN(clause_,
                             models_->kokoro().Read(tokens, table->row(tokens.size()), Prosody{}, run));
  return base::Ok();
}

Status VoiceLearner::ReadPiper(std::string_view sentence, text::Accent accent, const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto sounds, piper_->Pronounce(models_->phonemes(), sentence, accent));
  // A voice that reads characters may have none of the sentence's.
  if (sounds.empty()) {
    ++sentence_;
    return base::Ok();
  }
  TRUNKLINE_ASSIGN_OR_RETURN(auto clause, piper_->Read(sounds, 1, 1, 1, run, voice_.speaker));
  stream_ = piper_->Decode(std::move(clause), true);
  return base::Ok();
}

Status VoiceLearner::ListenToPiper(const onnx::RunOptions* run) {
  std::vector<float> samples;
  TRUNKLINE_RETURN_IF_FAILED(stream_->Step(kPiperStretch, run, samples));
  power_.Add(samples, static_cast<size_t>(piper_->rate()) / 100);
  if (!stream_->done()) return base::Ok();
  stream_.reset();
  ++sentence_;
  return base::Ok();
}

Status VoiceLearner::Listen(const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto whole, models_->kokoro().Measure(*clause_, run));
  inverses_.push_back(1.0 / static_cast<double>(clause_->frames));
  means_.push_back(whole.statistics);
  power_.Add(whole.samples, kKokoroRate / 100);
  AddPitch(clause_->f0);
  clause_.reset();
  ++sentence_;
  return base::Ok();
}

Status VoiceLearner::ListenToHibari(std::string_view sentence, text::Accent accent,
                                    const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said, text::KokoroPhonemes(models_->phonemes(), sentence, accent));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto stream,
                             models_->hibari().Read(models_->kokoro().Encode(said), {}, 1, run));
  AddPitch(stream->hertz());
  std::vector<float> samples;
  stream->Step(stream->frames(), samples);
  power_.Add(samples, kHibariRate / 100);
  ++sentence_;
  return base::Ok();
}

Status VoiceLearner::ListenToGraph(std::string_view sentence, text::Accent accent,
                                   const onnx::RunOptions* run) {
  TRUNKLINE_ASSIGN_OR_RETURN(const auto graph, models_->GraphOf(voice_));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto said, text::KokoroPhonemes(models_->phonemes(), sentence, accent));
  auto tokens = graph->Encode(said);
  if (tokens.size() > kGraphTokens) tokens.resize(kGraphTokens);
  ++sentence_;
  if (tokens.empty()) return base::Ok();
  TRUNKLINE_ASSIGN_OR_RETURN(const auto style, graph->styles().Get(voice_.styles));
  TRUNKLINE_ASSIGN_OR_RETURN(const auto samples, graph->Read(tokens, style->row(tokens.size()), 1, run));
  power_.Add(samples, kKokoroRate / 100);
  return base::Ok();
}

void VoiceLearner::AddPitch(std::span<const float> hertz) {
  for (const float f0 : hertz) {
    if (f0 < kVoicedHz) continue;
    hertz_ += static_cast<double>(f0);
    ++voiced_;
  }
}

// The line through the means over the inverse of the length, at a short clause and at a long one.
Calibration VoiceLearner::Learnt() const {
  Calibration learnt;
  const auto count = static_cast<double>(means_.size());
  double sum = 0, squares = 0;
  for (const double inverse : inverses_) {
    sum += inverse;
    squares += inverse * inverse;
  }
  const double spread = squares - sum * sum / std::max(1.0, count);
  const size_t size = means_.empty() ? 0 : means_.front().size();
  learnt.statistics.resize(2 * size);
  for (size_t i = 0; i < size; ++i) {
    double mean = 0, product = 0, least = static_cast<double>(means_.front()[i]);
    for (size_t k = 0; k < means_.size(); ++k) {
      least = std::min(least, static_cast<double>(means_[k][i]));
      mean += static_cast<double>(means_[k][i]) / count;
      product += (inverses_[k] - sum / count) * static_cast<double>(means_[k][i]);
    }
    const double slope = product / spread;
    const auto at = [&](float frames) {
      const double value = mean + slope * (1 / static_cast<double>(frames) - sum / count);
      return static_cast<float>(least > 0 ? std::max(value, least / 4) : value);  // a variance stays positive
    };
    learnt.statistics[i] = at(Calibration::kShortFrames);
    learnt.statistics[size + i] = at(Calibration::kLongFrames);
  }
  if (voiced_ > 0) learnt.center_hz = static_cast<float>(hertz_ / voiced_);
  learnt.gain = power_.Gain();
  return learnt;
}

}  // namespace trunkline::tts
