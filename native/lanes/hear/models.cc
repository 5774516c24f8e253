#include "lanes/hear/models.h"

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
  const std::string key = whisper + "|" + config.library + "|" + std::string(onnx::DeviceName(config.device));
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
  TRUNKLINE_ASSIGN_OR_RETURN(models->smart_turn_, vad::SmartTurn::Open(opener));
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string moonshine,
                             FolderOf(services, "moonshine-tiny-en/encoder.ort"));
  TRUNKLINE_ASSIGN_OR_RETURN(models->moonshine_, asr::MoonshineModel::Open(opener, moonshine));
  TRUNKLINE_ASSIGN_OR_RETURN(models->whisper_, asr::WhisperModel::Open(opener, whisper));
  models->listening_starts_ = ListeningStarts(models->moonshine_->tokens());
  open[key] = models;
  return models;
}

HearModels::~HearModels() {
  for (auto& place : idle_) delete place.load();
}

std::unique_ptr<asr::Transcriber> HearModels::TakeTranscriber() {
  for (auto& place : idle_) {
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    if (auto* idle = place.exchange(nullptr, std::memory_order_acquire)) {
      return std::unique_ptr<asr::Transcriber>(idle);
    }
  }
  return std::make_unique<asr::Transcriber>(whisper_);
}

void HearModels::Give(std::unique_ptr<asr::Transcriber> transcriber) {
  if (!transcriber) return;
  for (auto& place : idle_) {
    asr::Transcriber* none = nullptr;
    if (place.compare_exchange_strong(none, transcriber.get(), std::memory_order_release,
                                      std::memory_order_relaxed)) {
      (void)transcriber.release();
      return;
    }
  }
}

}  // namespace trunkline::hear
