#include "lanes/hear/voice_prints.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace trunkline::hear {
namespace {

constexpr char kModel[] = "speakers/embedding.onnx";

struct Opened {
  std::weak_ptr<const speaker::Campplus> model;
  std::shared_ptr<onnx::Placement> placement;
};

}  // namespace

base::Result<std::shared_ptr<const speaker::Campplus>> OpenVoicePrints(engine::Services& services) {
  static std::mutex mutex;
  static std::map<std::string, Opened> opened;
  std::lock_guard lock(mutex);
  TRUNKLINE_ASSIGN_OR_RETURN(const std::string path, services.model(kModel));
  const engine::EngineConfig& config = services.config();
  Opened& shared = opened[path + "|" + config.library + "|" + std::string(onnx::DeviceName(config.device))];
  if (auto model = shared.model.lock()) {
    services.Share({shared.placement});
    return model;
  }
  TRUNKLINE_ASSIGN_OR_RETURN(auto session, services.OpenModel(kModel));
  auto placement = session->placement();
  TRUNKLINE_ASSIGN_OR_RETURN(std::shared_ptr<const speaker::Campplus> model,
                             speaker::Campplus::Create(std::move(session)));
  shared = {model, std::move(placement)};
  return model;
}

}  // namespace trunkline::hear
