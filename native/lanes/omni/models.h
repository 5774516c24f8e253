// The models of a call, opened once for all calls.
#pragma once

#include <memory>

#include "enhance/enhance.h"
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
  std::shared_ptr<const speaker::SpeakerEncoder> voices;
  // It is null where the model is not at hand, and recordings have the line's noise then.
  std::shared_ptr<const enhance::Dtln> denoiser;
};

}  // namespace trunkline::omni
