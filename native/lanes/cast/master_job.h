// The job that makes one sound of many clips: laid on a time line, brought to one loudness (EBU R 128), no peak
// above the ceiling.
//
// Input
//   the plan, as timeline.h reads it
//
// Options
//   file        PCM16, one channel: where the clips lie
//   rate        of the clips and of what comes out
//   target      LUFS; the gain is sought that brings the whole there
//   ceiling     dBTP
//   room_tone   dBFS of the noise under everything; absent: none
//   gain        dB, absent: sought from the beginning. Where the whole lies within `tolerance` LU of the target by
//               it, it is kept, so that what was the same before is the same again, to the bit
//   tolerance   LU, 0.2 unless said
//   fixed       1: the gain is taken as it is
//
// Result
//   first a chunk of f64: gain dB, integrated LUFS, true peak dBTP, range LU, largest short-term LUFS, samples;
//   then chunks of PCM16
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::cast {

std::shared_ptr<engine::JobKind> MakeMasterKind();

}  // namespace trunkline::cast
