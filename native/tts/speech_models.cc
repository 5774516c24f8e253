#include "tts/speech_models.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace trunkline::tts {

using base::Code;
using base::Result;
using base::Status;

namespace {

// The graphs of a Piper voice take some 70 MB, the graph of a Kokoro 250 MB and more.
constexpr size_t kMaxPipersOpen = 8, kMaxGraphsOpen = 2;

std::string CalibrationKey(const VoiceSpec& voice) {
  if (voice.is_added() && voice.model == VoiceModel::kPiper)
    return voice.accent + "|" + std::to_string(voice.speaker);
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
      vocabulary_file_(files.kokoro.vocabulary),
      mandarin_{files.mandarin, {}, {}},
      japanese_{files.japanese, {}, {}},
      styles_(files.styles),
      known_voices_(std::move(known)),
      kokoro_calibrations_(files.calibrations, FileIdentity(files.kokoro.generator),
                           2 * kokoro_->statistics_size(), known_voices_),
      piper_calibrations_(files.calibrations, FileIdentity(files.piper.decoder), 0, known_voices_),
      hibari_calibrations_(files.calibrations, FileIdentity(files.hibari), 0, known_voices_),
      calibration_folder_(files.calibrations),
      options_(options),
      added_pipers_(kMaxPipersOpen, "/decoder.onnx"),
      added_graphs_(kMaxGraphsOpen, "/graph.onnx") {}

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

template <typename Table>
Result<const Table*> SpeechModels::DictionaryTable<Table>::Read() {
  const std::lock_guard lock(mutex);
  if (table == nullptr) {
    TRUNKLINE_ASSIGN_OR_RETURN(table, Table::Load(file));
  }
  return table.get();
}

Result<text::Accent> SpeechModels::FindAccent(const VoiceSpec& voice) const {
  text::Accent accent;
  if (voice.is_added() && voice.model == VoiceModel::kPiper) {
    accent.espeak = voice.accent;
  } else if (!text::ParseAccent(voice.accent, accent)) {
    return Status(Code::kInvalidArgument, "no accent " + voice.accent);
  }
  if (accent.dictionary == text::Dictionary::kMandarin && mandarin_.file.empty())
    return Status(Code::kNotReady, "the table of Chinese words is not there");
  if (accent.dictionary == text::Dictionary::kJapanese && japanese_.file.empty())
    return Status(Code::kNotReady, "the table of Japanese words is not there");
  return accent;
}

Result<text::Accent> SpeechModels::AccentOf(const VoiceSpec& voice) {
  TRUNKLINE_ASSIGN_OR_RETURN(auto accent, FindAccent(voice));
  if (accent.dictionary == text::Dictionary::kMandarin) {
    TRUNKLINE_ASSIGN_OR_RETURN(accent.mandarin, mandarin_.Read());
  } else if (accent.dictionary == text::Dictionary::kJapanese) {
    TRUNKLINE_ASSIGN_OR_RETURN(accent.japanese, japanese_.Read());
  }
  return accent;
}

std::shared_ptr<const Calibration> SpeechModels::FindCalibration(const VoiceSpec& voice) {
  if (voice.is_added()) {
    const auto store = StoreOfAdded(voice);
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
    const auto store = StoreOfAdded(voice);
    if (store == nullptr) return std::make_shared<const Calibration>(std::move(calibration));
    return store->Put(CalibrationKey(voice), std::move(calibration));
  }
  return StoreOf(voice.model).Put(CalibrationKey(voice), std::move(calibration));
}

template <typename Model>
template <typename Open>
Result<std::shared_ptr<Model>> SpeechModels::AddedVoices<Model>::Get(const std::string& folder,
                                                                     const std::string& calibrations,
                                                                     Open open) {
  const auto entry = EntryOf(folder);
  const std::lock_guard opening(entry->mutex);
  if (entry->model != nullptr) return entry->model;
  Result<std::shared_ptr<Model>> opened = open();
  const std::lock_guard lock(mutex_);
  if (!opened.ok()) {
    entries_.remove(entry);
    return opened;
  }
  entry->model = *opened;
  entry->calibrations =
      std::make_shared<CalibrationStore>(calibrations, FileIdentity(folder + graph_), 0, nullptr);
  return opened;
}

template <typename Model>
auto SpeechModels::AddedVoices<Model>::EntryOf(const std::string& folder) -> std::shared_ptr<Entry> {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry->folder == folder; });
  if (known != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, known);
  } else {
    entries_.push_front(std::make_shared<Entry>(folder));
    if (entries_.size() > limit_) entries_.pop_back();
  }
  return entries_.front();
}

template <typename Model>
std::shared_ptr<CalibrationStore> SpeechModels::AddedVoices<Model>::StoreOf(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : entries_)
    if (entry->folder == folder) return entry->calibrations;
  return nullptr;
}

Result<std::shared_ptr<const Piper>> SpeechModels::PiperOf(const VoiceSpec& voice) {
  if (!voice.is_added()) return piper_;
  return added_pipers_.Get(voice.folder, calibration_folder_, [&]() -> Result<std::shared_ptr<const Piper>> {
    TRUNKLINE_ASSIGN_OR_RETURN(auto opened, Piper::LoadFolder(kokoro_->runtime(), voice.folder, options_));
    if (opened->rate() != voice.rate)
      return Status(Code::kBadModel, voice.folder + " speaks at " + std::to_string(opened->rate()) +
                                         " Hz, not at " + std::to_string(voice.rate));
    return std::shared_ptr<const Piper>(std::move(opened));
  });
}

Result<std::shared_ptr<KokoroGraph>> SpeechModels::GraphOf(const VoiceSpec& voice) {
  return added_graphs_.Get(voice.folder, calibration_folder_, [&]() -> Result<std::shared_ptr<KokoroGraph>> {
    TRUNKLINE_ASSIGN_OR_RETURN(
        auto opened, KokoroGraph::LoadFolder(kokoro_->runtime(), voice.folder, vocabulary_file_, options_));
    return std::shared_ptr<KokoroGraph>(std::move(opened));
  });
}

std::shared_ptr<CalibrationStore> SpeechModels::StoreOfAdded(const VoiceSpec& voice) {
  return voice.model == VoiceModel::kPiper ? added_pipers_.StoreOf(voice.folder)
                                           : added_graphs_.StoreOf(voice.folder);
}

}  // namespace trunkline::tts
