#include "lanes/hear/models.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>

#include "text/reading/reading.h"

namespace trunkline::hear {
namespace {

base::Result<std::string> FolderOf(const engine::Services& services, const std::string& file) {
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string path, services.model(file));
  return std::filesystem::path(path).parent_path().string();
}

constexpr char kDeviceForms[] = "whisper-base-gpu/", kMoonshineForms[] = "moonshine-tiny-en-gpu/";

// The windows that are on the device at once; zero leaves their number to the model.
size_t WindowsOf(const engine::Services& services) {
  const std::string windows = services.setting("device.windows");
  return windows.empty() ? 0 : static_cast<size_t>(std::clamp(std::atoll(windows.c_str()), 4LL, 1024LL));
}

// The memory of a row of a window, in the unit of both models' pools.
int64_t RowSize(const asr::WhisperSettings& whisper) {
  return whisper.layers * whisper.width;
}

// The windows of an added model take at most this many times the memory of those of the stock one.
constexpr int64_t kAddedMemory = 4;
constexpr size_t kLeastWindows = 4;

// `names`: the stem of the names under which the forms are reported.
std::shared_ptr<asr::RecognizerDevice> OpenDevice(engine::Services& services, const onnx::SessionOpener& open,
                                                  const std::string& names, const std::string& stem,
                                                  const asr::RecognizerShape& shape, double share) {
  asr::RecognizerDeviceSettings settings;
  settings.scheduler = services.scheduler_settings();
  if (const size_t most = WindowsOf(services); most > 0) settings.windows = {most, most / 2, most / 2};
  for (size_t& windows : settings.windows) {
    if (share < 1)
      windows = std::max(kLeastWindows, static_cast<size_t>(static_cast<double>(windows) * share));
  }
  return services.OpenGpuForm<asr::RecognizerDevice>(
      open, names + "encoder.onnx", [&](const onnx::SessionOpener& on_gpu) {
        return asr::RecognizerDevice::Open(on_gpu, stem, shape, settings);
      });
}

// An added model's folder is NAME/DIGEST; its forms are reported as added/NAME/gpu-encoder.onnx and so on.
std::string AddedName(const std::string& folder) {
  return "added/" + std::filesystem::path(folder).parent_path().filename().string() + "/";
}

constexpr char kAddedForms[] = "gpu-";

template <typename Model>
std::shared_ptr<Model> Find(const std::vector<std::shared_ptr<Model>>& added, std::string_view folder) {
  const auto found =
      std::find_if(added.begin(), added.end(), [&](const auto& model) { return model->folder() == folder; });
  return found == added.end() ? nullptr : *found;
}

// Returns those whose folder is not among `folders`.
template <typename Model>
std::vector<std::shared_ptr<Model>> TakeOthers(std::vector<std::shared_ptr<Model>>& added,
                                               const std::vector<std::string>& folders) {
  const auto middle = std::partition(added.begin(), added.end(), [&](const auto& model) {
    return std::find(folders.begin(), folders.end(), model->folder()) != folders.end();
  });
  std::vector<std::shared_ptr<Model>> others(std::make_move_iterator(middle),
                                             std::make_move_iterator(added.end()));
  added.erase(middle, added.end());
  return others;
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
  const std::string key =
      whisper + "|" + config.library + "|" + std::string(onnx::DeviceName(config.device)) +
      (config.models.contains(std::string(kDeviceForms) + "encoder.onnx") ? "|gpu" : "") +
      (config.models.contains(std::string(kMoonshineForms) + "encoder.onnx") ? "|quick" : "");
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
  TRUNKLINE_ASSIGN_OR_RETURN(auto quick, asr::MoonshineModel::Open(opener, moonshine));
  TRUNKLINE_ASSIGN_OR_RETURN(auto stock, asr::WhisperModel::Open(opener, whisper));
  auto device = OpenDevice(services, opener, kDeviceForms, kDeviceForms, asr::ShapeOf(stock->settings()), 1);
  models->recognizer_ = std::make_shared<Recognizer>(std::move(stock), std::string(), std::move(device));
  // It was not measured on a GPU, so it gets the memory that Whisper leaves.
  auto quick_device =
      OpenDevice(services, opener, kMoonshineForms, kMoonshineForms, quick->device_shape(), 1);
  models->quick_ =
      std::make_shared<QuickRecognizer>(std::move(quick), std::string(), std::move(quick_device));
  TRUNKLINE_ASSIGN_OR_RETURN(models->runtime_, services.runtime());
  models->listening_starts_ = ListeningStarts(models->moonshine()->tokens());
  open[key] = models;
  return models;
}

base::Result<std::shared_ptr<Recognizer>> HearModels::OpenRecognizer(const std::string& folder,
                                                                     engine::Services& services) {
  const std::lock_guard opening(opening_mutex_);
  if (auto open = FindRecognizer(folder)) return open;
  TRUNKLINE_ASSIGN_OR_RETURN(auto model, asr::WhisperModel::OpenFolder(runtime_, folder, {}));
  const std::string name = AddedName(folder);
  const onnx::SessionOpener open = [&](const std::string& file, const onnx::SessionOptions& options) {
    return services.OpenFile(name + file, (std::filesystem::path(folder) / file).string(), options);
  };
  const auto share = static_cast<double>(kAddedMemory * RowSize(whisper()->settings())) /
                     static_cast<double>(RowSize(model->settings()));
  auto device =
      OpenDevice(services, open, name + kAddedForms, kAddedForms, asr::ShapeOf(model->settings()), share);
  auto recognizer = std::make_shared<Recognizer>(std::move(model), folder, std::move(device));
  const std::lock_guard lock(added_mutex_);
  added_.push_back(recognizer);
  return recognizer;
}

std::shared_ptr<Recognizer> HearModels::FindRecognizer(std::string_view folder) {
  if (folder.empty()) return recognizer_;
  const std::lock_guard lock(added_mutex_);
  return Find(added_, folder);
}

base::Result<std::shared_ptr<QuickRecognizer>> HearModels::OpenQuick(const std::string& folder) {
  const std::lock_guard opening(opening_mutex_);
  if (auto open = FindQuick(folder)) return open;
  TRUNKLINE_ASSIGN_OR_RETURN(auto model, asr::MoonshineModel::OpenFolder(runtime_, folder));
  auto quick = std::make_shared<QuickRecognizer>(std::move(model), folder);
  const std::lock_guard lock(added_mutex_);
  added_quick_.push_back(quick);
  return quick;
}

std::shared_ptr<QuickRecognizer> HearModels::FindQuick(std::string_view folder) {
  if (folder.empty()) return quick_;
  const std::lock_guard lock(added_mutex_);
  return Find(added_quick_, folder);
}

void HearModels::CloseRecognizersBut(const std::vector<std::string>& folders, engine::Services& services) {
  // They are freed after the lock.
  std::vector<std::shared_ptr<Recognizer>> closed;
  std::vector<std::shared_ptr<QuickRecognizer>> closed_quick;
  const std::lock_guard lock(added_mutex_);
  closed = TakeOthers(added_, folders);
  closed_quick = TakeOthers(added_quick_, folders);
  for (const auto& recognizer : closed) {
    for (const char* graph : {"encoder.onnx", "decoder.onnx"})
      services.Forget(AddedName(recognizer->folder()) + kAddedForms + graph);
  }
}

std::optional<onnx::DeviceStats> HearModels::device_stats() const {
  std::optional<onnx::DeviceStats> sum;
  const auto add = [&](const std::shared_ptr<asr::RecognizerDevice>& device) {
    if (device == nullptr) return;
    const onnx::DeviceStats one = device->stats();
    if (!sum) sum.emplace();
    sum->batches += one.batches;
    sum->works += one.works;
    sum->waiting += one.waiting;
    sum->batch_nanos = std::max(sum->batch_nanos, one.batch_nanos);
  };
  add(recognizer_->device());
  add(quick_->device());
  const std::lock_guard lock(added_mutex_);
  for (const auto& recognizer : added_) add(recognizer->device());
  return sum;
}

}  // namespace trunkline::hear
