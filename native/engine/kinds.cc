#include "engine/kinds.h"

#include "engine/embed_job.h"
#include "engine/fit_voice_job.h"
#include "engine/hear_lane.h"
#include "engine/learn_voice_job.h"
#include "engine/loopback_lane.h"
#include "engine/omni_lane.h"
#include "engine/synthesize_job.h"
#include "engine/transcribe_job.h"
#include "engine/voices_job.h"

namespace trunkline::engine {

// In this order they are prepared, by as many threads as there are for inference: first those that open
// models of their own, so that no thread waits for another's while there is something left to open.
Kinds AllKinds() {
  Kinds kinds;
  kinds.AddLane(MakeLoopbackKind());
  kinds.AddLane(MakeHearKind());
  kinds.AddLane(MakeOmniKind());
  kinds.AddJob(MakeEmbedKind());
  kinds.AddJob(MakeTranscribeKind());
  kinds.AddJob(MakeVoicesKind());
  kinds.AddJob(MakeSynthesizeKind());
  kinds.AddJob(MakeFitVoiceKind());
  kinds.AddJob(MakeLearnVoiceKind());
  return kinds;
}

}  // namespace trunkline::engine
