// The models of a call, opened once for all calls.
#pragma once

#include <memory>

#include "lanes/hear/hear.h"
#include "lanes/omni/backchannel_model.h"
#include "speaker/speaker.h"
#include "tts/tts.h"

namespace trunkline::omni {

struct OmniModels {
  std::shared_ptr<hear::HearModels> hear;
  std::shared_ptr<tts::SpeechModels> speech;
  BackchannelNets listening;
  // It is null where the model is not at hand, and the speaker lock stays open then.
  std::shared_ptr<const speaker::Campplus> voices;
};

}  // namespace trunkline::omni
