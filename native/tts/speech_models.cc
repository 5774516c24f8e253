#include "tts/speech_models.h"

#include <filesystem>

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

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

std::shared_ptr<const Calibration> SpeechModels::KeepCalibration(const VoiceSpec& voice,
                                                                 Calibration calibration) {
  auto& store = voice.model == VoiceModel::kKokoro ? kokoro_calibrations_ : piper_calibrations_;
  return store.Put(CalibrationKey(voice), std::move(calibration));
}

}  // namespace trunkline::tts
