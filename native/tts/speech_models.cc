#include "tts/speech_models.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

// The graphs of a voice take some 70 MB.
constexpr size_t kMaxAddedOpen = 8;

std::string CalibrationKey(const VoiceSpec& voice) {
  if (voice.is_added()) return voice.accent + "|" + std::to_string(voice.speaker);
  return voice.accent + "|" + StyleKey(voice.styles);
}

std::string FileIdentity(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path file(path);
  return file.parent_path().filename().string() + "/" + file.filename().string() + ":" +
         std::to_string(std::filesystem::file_size(file, ignored));
}

}  // namespace

SpeechModels::SpeechModels(const SpeechFiles& files, const onnx::SessionOptions& options,
                           std::shared_ptr<const KnownVoices> known, std::unique_ptr<Kokoro> kokoro,
                           std::unique_ptr<Piper> piper, std::unique_ptr<Hibari> hibari)
    : kokoro_(std::move(kokoro)),
      piper_(std::move(piper)),
      hibari_(std::move(hibari)),
      phonemes_(files.phonemes),
      mandarin_file_(files.mandarin),
      japanese_file_(files.japanese),
      styles_(files.styles),
      known_voices_(std::move(known)),
      kokoro_calibrations_(files.calibrations, FileIdentity(files.kokoro.generator),
                           2 * kokoro_->statistics_size(), known_voices_),
      piper_calibrations_(files.calibrations, FileIdentity(files.piper.decoder), 0, known_voices_),
      hibari_calibrations_(files.calibrations, FileIdentity(files.hibari), 0, known_voices_),
      calibration_folder_(files.calibrations),
      options_(options) {}

Result<std::shared_ptr<SpeechModels>> SpeechModels::Load(const onnx::SessionOpener& open,
                                                         const SpeechFiles& files,
                                                         const onnx::SessionOptions& options) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto kokoro, Kokoro::Load(open, files.kokoro, options));
  TRUNKLINE_ASSIGN_OR_RETURN(auto piper, Piper::Load(open, files.piper, options));
  TRUNKLINE_ASSIGN_OR_RETURN(auto hibari, Hibari::Load(open, options));
  std::shared_ptr<const KnownVoices> known;
  if (!files.known_voices.empty()) {
    TRUNKLINE_ASSIGN_OR_RETURN(known, KnownVoices::Read(files.known_voices));
  }
  return std::shared_ptr<SpeechModels>(new SpeechModels(files, options, std::move(known), std::move(kokoro),
                                                        std::move(piper), std::move(hibari)));
}

namespace {

// Reads the table on first use.
template <typename Table>
Status Want(std::shared_ptr<const Table>& table, const std::string& file, std::string_view language) {
  if (table != nullptr) return base::Ok();
  if (file.empty())
    return Status(Code::kNotReady, "the table of " + std::string(language) + " words is not there");
  TRUNKLINE_ASSIGN_OR_RETURN(table, Table::Load(file));
  return base::Ok();
}

}  // namespace

Result<text::Accent> SpeechModels::AccentOf(const VoiceSpec& voice) {
  text::Accent accent;
  if (voice.is_added()) {
    accent.espeak = voice.accent;
  } else if (!text::ParseAccent(voice.accent, accent)) {
    return Status(Code::kInvalidArgument, "no accent " + voice.accent);
  }
  // The lock is held while a table is read, so that two calls do not read it twice.
  const std::lock_guard lock(dictionary_mutex_);
  if (accent.dictionary == text::Dictionary::kMandarin) {
    TRUNKLINE_RETURN_IF_FAILED(Want(mandarin_, mandarin_file_, "Chinese"));
    accent.mandarin = mandarin_.get();
  } else if (accent.dictionary == text::Dictionary::kJapanese) {
    TRUNKLINE_RETURN_IF_FAILED(Want(japanese_, japanese_file_, "Japanese"));
    accent.japanese = japanese_.get();
  }
  return accent;
}

std::shared_ptr<const Calibration> SpeechModels::FindCalibration(const VoiceSpec& voice) {
  if (voice.is_added()) {
    const auto store = StoreOfAdded(voice.folder);
    return store == nullptr ? nullptr : store->Find(CalibrationKey(voice));
  }
  auto found = StoreOf(voice.model).Find(CalibrationKey(voice));
  return found == nullptr && voice.model == VoiceModel::kKokoro ? Blend(voice) : found;
}

CalibrationStore& SpeechModels::StoreOf(VoiceModel model) {
  switch (model) {
    case VoiceModel::kPiper:
      return piper_calibrations_;
    case VoiceModel::kHibari:
      return hibari_calibrations_;
    case VoiceModel::kKokoro:
      break;
  }
  return kokoro_calibrations_;
}

// The accent changes a style's means less than the words do, so any accent's calibration serves.
std::shared_ptr<const Calibration> SpeechModels::Blend(const VoiceSpec& voice) {
  Calibration blend;
  float octaves = 0, decibels = 0;
  for (const StylePart& part : voice.styles) {
    std::string suffix = "|";
    suffix += StyleKey({{part.name, 1}});
    const auto known = kokoro_calibrations_.FindKnown(suffix);
    if (known == nullptr) return nullptr;
    blend.statistics.resize(known->statistics.size(), 0.0F);
    for (size_t i = 0; i < blend.statistics.size(); ++i)
      blend.statistics[i] += part.share * known->statistics[i];
    octaves += part.share * std::log2(known->center_hz);
    decibels += part.share * std::log2(known->gain);
  }
  blend.center_hz = std::exp2(octaves);
  blend.gain = std::exp2(decibels);
  return kokoro_calibrations_.Remember(CalibrationKey(voice), std::move(blend));
}

std::shared_ptr<const Calibration> SpeechModels::KeepCalibration(const VoiceSpec& voice,
                                                                 Calibration calibration) {
  if (voice.is_added()) {
    const auto store = StoreOfAdded(voice.folder);
    if (store == nullptr) return std::make_shared<const Calibration>(std::move(calibration));
    return store->Put(CalibrationKey(voice), std::move(calibration));
  }
  return StoreOf(voice.model).Put(CalibrationKey(voice), std::move(calibration));
}

Result<std::shared_ptr<const Piper>> SpeechModels::PiperOf(const VoiceSpec& voice) {
  if (!voice.is_added()) return piper_;
  // The lock is held while a voice is opened, so that two calls do not open it twice.
  const std::lock_guard lock(added_mutex_);
  const auto known = std::find_if(added_.begin(), added_.end(),
                                  [&](const AddedVoice& open) { return open.folder == voice.folder; });
  if (known != added_.end()) {
    added_.splice(added_.begin(), added_, known);
    return added_.front().piper;
  }
  TRUNKLINE_ASSIGN_OR_RETURN(auto opened, Piper::LoadFolder(kokoro_->runtime(), voice.folder, options_));
  if (opened->rate() != voice.rate)
    return Status(Code::kBadModel, voice.folder + " speaks at " + std::to_string(opened->rate()) +
                                       " Hz, not at " + std::to_string(voice.rate));
  std::shared_ptr<const Piper> piper(std::move(opened));
  added_.push_front({voice.folder, piper,
                     std::make_shared<CalibrationStore>(
                         calibration_folder_, FileIdentity(voice.folder + "/decoder.onnx"), 0, nullptr)});
  if (added_.size() > kMaxAddedOpen) added_.pop_back();
  return piper;
}

std::shared_ptr<CalibrationStore> SpeechModels::StoreOfAdded(const std::string& folder) {
  const std::lock_guard lock(added_mutex_);
  for (const AddedVoice& open : added_)
    if (open.folder == folder) return open.calibrations;
  return nullptr;
}

}  // namespace trunkline::tts
