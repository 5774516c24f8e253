// Which models gain from a GPU.
#pragma once

#include <string_view>

namespace trunkline::engine {

enum class GpuGain {
  // The model is quicker there: `auto` takes the GPU.
  kQuicker,
  // The model was not measured: only TRUNKLINE_DEVICE=cuda tries it.
  kUnknown,
  // The model is slower there, or refused: it stays on the processor whatever is configured.
  kNone,
};

struct DeviceRule {
  GpuGain gain;
  std::string_view reason;
};

DeviceRule DeviceRuleOf(std::string_view model);

}  // namespace trunkline::engine
