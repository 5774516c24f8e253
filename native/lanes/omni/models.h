// The models of a call, opened once for all calls.
#pragma once

#include <memory>

#include "lanes/hear/hear.h"
#include "lanes/omni/backchannel_model.h"
#include "tts/tts.h"

namespace trunkline::omni {

struct OmniModels {
  std::shared_ptr<hear::HearModels> hear;
  std::shared_ptr<tts::SpeechModels> speech;
  BackchannelNets listening;
};

}  // namespace trunkline::omni
