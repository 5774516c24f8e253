#include "lanes/hear/voice_prints.h"

#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::hear {
namespace {

using Encoder = std::shared_ptr<const speaker::SpeakerEncoder>;

base::Result<speaker::FbankWindow> WindowOf(const std::string& path) {
  std::ifstream file(path);
  std::string name, window;
  file >> name >> window;
  if (name == "window" && window == "povey") return speaker::FbankWindow::kPovey;
  if (name == "window" && window == "hamming") return speaker::FbankWindow::kHamming;
  return base::Status(base::Code::kBadModel, path + " does not state a window");
}

base::Result<Encoder> OwnEncoder(std::unique_ptr<onnx::Session> session) {
  TRUNKLINE_ASSIGN_OR_RETURN(
      Encoder encoder, speaker::SpeakerEncoder::Create(std::move(session), speaker::FbankWindow::kPovey));
  if (encoder->size() != kVoicePrintSize) {
    return base::Status(base::Code::kBadModel,
                        "its vectors have " + std::to_string(encoder->size()) + " numbers");
  }
  return encoder;
}

}  // namespace

base::Result<std::shared_ptr<const speaker::SpeakerEncoder>> OpenVoicePrints(engine::Services& services) {
  static engine::SharedModel<speaker::SpeakerEncoder> shared;
  return shared.Open(services, {"speakers/embedding.onnx"},
                     [](std::vector<std::unique_ptr<onnx::Session>> sessions) {
                       return OwnEncoder(std::move(sessions[0]));
                     });
}

base::Result<std::shared_ptr<const speaker::SpeakerEncoder>> OpenAddedEncoder(engine::Services& services,
                                                                              const std::string& folder) {
  static std::mutex mutex;
  static std::pair<std::string, std::shared_ptr<const speaker::SpeakerEncoder>> last;
  const std::lock_guard lock(mutex);
  if (last.first == folder && last.second != nullptr) return last.second;
  TRUNKLINE_ASSIGN_OR_RETURN(const auto window, WindowOf(folder + "/encoder.conf"));
  TRUNKLINE_ASSIGN_OR_RETURN(auto runtime, services.runtime());
  TRUNKLINE_ASSIGN_OR_RETURN(auto session,
                             onnx::Session::Open(std::move(runtime), folder + "/encoder.onnx", {}));
  TRUNKLINE_ASSIGN_OR_RETURN(std::shared_ptr<const speaker::SpeakerEncoder> encoder,
                             speaker::SpeakerEncoder::Create(std::move(session), window));
  last = {folder, encoder};
  return encoder;
}

}  // namespace trunkline::hear
