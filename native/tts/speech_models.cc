#include "tts/speech_models.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tts/finisher.h"

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr float kVoicedHz = 60;
constexpr float kActiveDb = -45;

// Everyday sentences of a call, short, with a statement and a question: what most calls sound like.
std::pair<std::string_view, std::string_view> LearningSentences(text::Lang lang) {
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

// Mean power of the frames in which somebody speaks.
class ActivePower {
 public:
  void Add(std::span<const float> samples, size_t frame) {
    for (size_t at = 0; at + frame <= samples.size(); at += frame) {
      double power = 0;
      for (size_t i = at; i < at + frame; ++i) power += static_cast<double>(samples[i]) * samples[i];
      power /= static_cast<double>(frame);
      if (power < std::pow(10.0, kActiveDb / 10)) continue;
      sum_ += power;
      ++count_;
    }
  }
  // The gain that brings the mean to the common loudness.
  float Gain() const {
    if (count_ == 0) return 1;
    const double db = 10 * std::log10(sum_ / static_cast<double>(count_));
    return static_cast<float>(
        std::pow(10.0, std::clamp(static_cast<double>(kTargetDb) - db, -20.0, 20.0) / 20));
  }

 private:
  double sum_ = 0;
  size_t count_ = 0;
};

std::string CalibrationKey(const VoiceSpec& voice) {
  return voice.accent + "|" + StyleKey(voice.styles);
}

std::string FileIdentity(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path file(path);
  return file.parent_path().filename().string() + "/" + file.filename().string() + ":" +
         std::to_string(std::filesystem::file_size(file, ignored));
}

}  // namespace

SpeechModels::SpeechModels(std::shared_ptr<onnx::Runtime> runtime, const SpeechFiles& files,
                           std::unique_ptr<Kokoro> kokoro, std::unique_ptr<Piper> piper)
    : runtime_(std::move(runtime)),
      kokoro_(std::move(kokoro)),
      piper_(std::move(piper)),
      phonemes_(files.phonemes),
      styles_(files.styles),
      kokoro_calibrations_(files.calibrations, FileIdentity(files.kokoro.generator),
                           kokoro_->statistics_size()),
      piper_calibrations_(files.calibrations, FileIdentity(files.piper), 0) {}

Result<std::shared_ptr<SpeechModels>> SpeechModels::Load(std::shared_ptr<onnx::Runtime> runtime,
                                                         const SpeechFiles& files,
                                                         const onnx::SessionOptions& options) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto kokoro, Kokoro::Load(runtime, files.kokoro, options));
  TRUNKLINE_ASSIGN_OR_RETURN(auto piper, Piper::Load(runtime, files.piper, files.piper_table, options));
  return std::shared_ptr<SpeechModels>(
      new SpeechModels(std::move(runtime), files, std::move(kokoro), std::move(piper)));
}

std::shared_ptr<const Calibration> SpeechModels::FindCalibration(const VoiceSpec& voice) {
  auto& store = voice.model == VoiceModel::kKokoro ? kokoro_calibrations_ : piper_calibrations_;
  return store.Find(CalibrationKey(voice));
}

Result<std::shared_ptr<const Calibration>> SpeechModels::Calibrate(const VoiceSpec& voice,
                                                                   const onnx::RunOptions* run) {
  if (auto known = FindCalibration(voice)) return known;
  const bool kokoro = voice.model == VoiceModel::kKokoro;
  TRUNKLINE_ASSIGN_OR_RETURN(auto learnt, kokoro ? LearnKokoro(voice, run) : LearnPiper(voice, run));
  return (kokoro ? kokoro_calibrations_ : piper_calibrations_).Put(CalibrationKey(voice), std::move(learnt));
}

Result<Calibration> SpeechModels::LearnKokoro(const VoiceSpec& voice, const onnx::RunOptions* run) {
  text::Accent accent;
  if (!text::ParseAccent(voice.accent, accent))
    return Status(Code::kInvalidArgument, "no accent " + voice.accent);
  TRUNKLINE_ASSIGN_OR_RETURN(const auto table, styles_.Get(voice.styles));
  Calibration learnt;
  learnt.statistics.assign(kokoro_->statistics_size(), 0.0F);
  ActivePower power;
  double frames = 0, voiced = 0, hertz = 0;
  const auto [first, second] = LearningSentences(voice.lang);
  for (const std::string_view sentence : {first, second}) {
    TRUNKLINE_ASSIGN_OR_RETURN(const auto said, text::KokoroPhonemes(phonemes_, sentence, accent));
    const auto tokens = kokoro_->Encode(said);
    TRUNKLINE_ASSIGN_OR_RETURN(const auto clause,
                               kokoro_->Front(tokens, table->row(tokens.size()), Prosody{}, run));
    TRUNKLINE_ASSIGN_OR_RETURN(const auto whole, kokoro_->Measure(*clause, run));
    const auto share = static_cast<float>(clause->frames);
    for (size_t i = 0; i < learnt.statistics.size(); ++i) learnt.statistics[i] += share * whole.statistics[i];
    frames += share;
    power.Add(whole.samples, kKokoroRate / 100);
    for (const float f0 : clause->f0) {
      if (f0 < kVoicedHz) continue;
      hertz += static_cast<double>(f0);
      ++voiced;
    }
  }
  for (float& number : learnt.statistics) number = static_cast<float>(static_cast<double>(number) / frames);
  if (voiced > 0) learnt.center_hz = static_cast<float>(hertz / voiced);
  learnt.gain = power.Gain();
  return learnt;
}

Result<Calibration> SpeechModels::LearnPiper(const VoiceSpec& voice, const onnx::RunOptions* run) {
  text::Accent accent;
  if (!text::ParseAccent(voice.accent, accent))
    return Status(Code::kInvalidArgument, "no accent " + voice.accent);
  ActivePower power;
  const auto [first, second] = LearningSentences(voice.lang);
  for (const std::string_view sentence : {first, second}) {
    TRUNKLINE_ASSIGN_OR_RETURN(const auto said, text::PiperPhonemes(phonemes_, sentence, accent));
    TRUNKLINE_ASSIGN_OR_RETURN(const auto samples, piper_->Speak(said, 1, 1, 1, run));
    power.Add(samples, kPiperRate / 100);
  }
  Calibration learnt;
  learnt.gain = power.Gain();
  return learnt;
}

}  // namespace trunkline::tts
