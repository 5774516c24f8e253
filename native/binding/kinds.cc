#include "binding/kinds.h"

#include "engine/engine.h"
#include "lanes/amd/amd.h"
#include "lanes/cast/cast.h"
#include "lanes/denoise/denoise.h"
#include "lanes/dub/dub.h"
#include "lanes/echo/echo.h"
#include "lanes/embed/embed.h"
#include "lanes/hear/hear.h"
#include "lanes/omni/omni.h"
#include "lanes/provenance/provenance.h"
#include "lanes/rtp/rtp.h"
#include "lanes/speak/speak.h"

namespace trunkline::binding {

// Kinds are prepared in this order, by as many threads as run inference: first those that open models of
// their own, so that no thread waits for another's models while there is something left to open.
engine::Kinds AllKinds() {
  engine::Kinds kinds;
  kinds.AddLane(engine::MakeLoopbackKind());
  // RTP comes before the lanes that it feeds, so that they process its audio in the same tick.
  kinds.AddLane(rtp::MakeRtpKind());
  kinds.AddLane(echo::MakeEchoKind());
  kinds.AddLane(denoise::MakeDenoiseKind());
  kinds.AddLane(hear::MakeHearKind());
  kinds.AddLane(omni::MakeOmniKind());
  kinds.AddLane(amd::MakeAmdKind());
  kinds.AddJob(embed::MakeEmbedKind());
  kinds.AddJob(embed::MakeMultilingualEmbedKind());
  kinds.AddJob(embed::MakeAddedEmbedKind());
  kinds.AddJob(embed::MakeOpenEmbedderKind());
  kinds.AddJob(hear::MakeTranscribeKind());
  kinds.AddJob(hear::MakeOpenRecognizerKind());
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
