#include "binding/kinds.h"

#include "amd/amd.h"
#include "cast/cast.h"
#include "dub/dub.h"
#include "echo/echo.h"
#include "embed/embed.h"
#include "engine/engine.h"
#include "hear/hear.h"
#include "mark/mark.h"
#include "omni/omni.h"
#include "rtp/rtp.h"
#include "speak/speak.h"

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
  kinds.AddJob(mark::MakeReadMarkKind());
  return kinds;
}

}  // namespace trunkline::binding
