#include "binding/kinds.h"

#include "engine/engine.h"
#include "lanes/amd/amd.h"
#include "lanes/cast/cast.h"
#include "lanes/dub/dub.h"
#include "lanes/echo/echo.h"
#include "lanes/embed/embed.h"
#include "lanes/hear/hear.h"
#include "lanes/omni/omni.h"
#include "lanes/provenance/provenance.h"
#include "lanes/rtp/rtp.h"
#include "lanes/speak/speak.h"

namespace trunkline::binding {

// In this order they are prepared, by as many threads as there are for inference: first those that open
// models of their own, so that no thread waits for another's while there is something left to open.
engine::Kinds AllKinds() {
  engine::Kinds kinds;
  kinds.AddLane(engine::MakeLoopbackKind());
  // Before the lanes that it brings sound to: they take it in the same tick.
  kinds.AddLane(rtp::MakeRtpKind());
  kinds.AddLane(echo::MakeEchoKind());
  kinds.AddLane(hear::MakeHearKind());
  kinds.AddLane(omni::MakeOmniKind());
  kinds.AddLane(amd::MakeAmdKind());
  kinds.AddJob(embed::MakeEmbedKind());
  kinds.AddJob(hear::MakeTranscribeKind());
  kinds.AddJob(hear::MakeSpeakersKind());
  kinds.AddJob(speak::MakeSynthesizeKind());
  kinds.AddJob(speak::MakeFitVoiceKind());
  kinds.AddJob(speak::MakeLearnVoiceKind());
  kinds.AddJob(speak::MakeForgetSoundsKind());
  kinds.AddJob(cast::MakeMasterKind());
  kinds.AddJob(dub::MakeMixKind());
  kinds.AddJob(dub::MakeEdgesKind());
  kinds.AddJob(provenance::MakeDetectWatermarkKind());
  return kinds;
}

}  // namespace trunkline::binding
