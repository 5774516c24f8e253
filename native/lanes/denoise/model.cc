#include "lanes/denoise/model.h"

#include <memory>
#include <utility>
#include <vector>

namespace trunkline::denoise {

base::Result<std::shared_ptr<const enhance::Dtln>> OpenDenoiser(engine::Services& services) {
  using enhance::Dtln;
  static engine::SharedModel<Dtln> shared;
  return shared.Open(services, {Dtln::kMaskModel, Dtln::kWaveModel},
                     [](std::vector<std::unique_ptr<onnx::Session>> sessions) {
                       return Dtln::Create(std::move(sessions[0]), std::move(sessions[1]));
                     });
}

}  // namespace trunkline::denoise
