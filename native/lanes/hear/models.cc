#include "lanes/hear/models.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "text/reading/reading.h"

namespace trunkline::hear {
namespace {

base::Result<std::string> FolderOf(const engine::Services& services, const std::string& file) {
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string path, services.model(file));
  return std::filesystem::path(path).parent_path().string();
}

constexpr char kDeviceForms[] = "whisper-base-gpu/";

std::shared_ptr<asr::WhisperDevice> OpenDevice(engine::Services& services, const onnx::SessionOpener& open,
                                               const asr::WhisperSettings& whisper) {
  asr::WhisperDeviceSettings settings;
  settings.scheduler = services.scheduler_settings();
  if (const std::string windows = services.setting("device.windows"); !windows.empty()) {
    const auto most = static_cast<size_t>(std::clamp(std::atoll(windows.c_str()), 4LL, 1024LL));
    settings.windows = {most, most / 2, most / 2};
  }
  return services.OpenGpuForm<asr::WhisperDevice>(
      open, {"whisper-base-gpu/encoder.onnx", "whisper-base-gpu/decoder.onnx"},
      [&](const onnx::SessionOpener& on_gpu) {
        return asr::WhisperDevice::Open(on_gpu, kDeviceForms, whisper, settings);
      });
}

std::vector<uint8_t> ListeningStarts(const text::PieceTokens& tokens) {
  std::vector<uint8_t> starts(tokens.size());
  for (size_t id = 0; id < starts.size(); ++id) {
    const auto token = static_cast<int32_t>(id);
    starts[id] = tokens.OpensWord(token) && text::OpensListening(tokens.Decode({token}), "en") ? 1 : 0;
  }
  return starts;
}

}  // namespace

base::Result<std::shared_ptr<HearModels>> HearModels::Open(engine::Services& services) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<HearModels>> open;
  std::lock_guard lock(mutex);
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string whisper, FolderOf(services, "whisper-base/encoder.onnx"));
  const engine::EngineConfig& config = services.config();
  const std::string key = whisper + "|" + config.library + "|" +
                          std::string(onnx::DeviceName(config.device)) +
                          (config.models.contains(std::string(kDeviceForms) + "encoder.onnx") ? "|gpu" : "");
  if (auto shared = open[key].lock()) {
    services.Share(shared->placements_);
    return shared;
  }

  std::shared_ptr<HearModels> models(new HearModels());
  const onnx::SessionOpener opener = [&](const std::string& name, const onnx::SessionOptions& options) {
    auto session = services.OpenModel(name, options);
    if (session.ok()) models->placements_.push_back((*session)->placement());
    return session;
  };
  TRUNKLINE_ASSIGN_OR_RETURN(models->voice_activity_, vad::Silero::OpenModel(opener));
  TRUNKLINE_ASSIGN_OR_RETURN(models->smart_turn_,
                             vad::SmartTurn::Open(opener, services.scheduler_settings()));
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string moonshine,
                             FolderOf(services, "moonshine-tiny-en/encoder.ort"));
  TRUNKLINE_ASSIGN_OR_RETURN(models->moonshine_, asr::MoonshineModel::Open(opener, moonshine));
  TRUNKLINE_ASSIGN_OR_RETURN(auto stock, asr::WhisperModel::Open(opener, whisper));
  auto device = OpenDevice(services, opener, stock->settings());
  models->recognizer_ = std::make_shared<Recognizer>(std::move(stock), std::string(), std::move(device));
  TRUNKLINE_ASSIGN_OR_RETURN(models->runtime_, services.runtime());
  models->listening_starts_ = ListeningStarts(models->moonshine_->tokens());
  open[key] = models;
  return models;
}

base::Result<std::shared_ptr<Recognizer>> HearModels::OpenRecognizer(const std::string& folder) {
  const std::lock_guard opening(opening_mutex_);
  if (auto open = FindRecognizer(folder)) return open;
  TRUNKLINE_ASSIGN_OR_RETURN(auto model, asr::WhisperModel::OpenFolder(runtime_, folder, {}));
  auto recognizer = std::make_shared<Recognizer>(std::move(model), folder);
  const std::lock_guard lock(added_mutex_);
  added_.push_back(recognizer);
  return recognizer;
}

std::shared_ptr<Recognizer> HearModels::FindRecognizer(std::string_view folder) {
  if (folder.empty()) return recognizer_;
  const std::lock_guard lock(added_mutex_);
  for (const auto& open : added_)
    if (open->folder() == folder) return open;
  return nullptr;
}

void HearModels::CloseRecognizersBut(const std::vector<std::string>& folders) {
  std::vector<std::shared_ptr<Recognizer>> closed;  // freed after the lock
  const std::lock_guard lock(added_mutex_);
  std::erase_if(added_, [&](std::shared_ptr<Recognizer>& open) {
    if (std::find(folders.begin(), folders.end(), open->folder()) != folders.end()) return false;
    closed.push_back(std::move(open));
    return true;
  });
}

}  // namespace trunkline::hear
