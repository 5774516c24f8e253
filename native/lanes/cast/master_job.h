// The job that mixes clips on a time line to one loudness (EBU R 128), with no peak above the ceiling.
//
// Input
//   the plan, as timeline.h reads it
//
// Options
//   file        PCM16, one channel: the clips' audio
//   rate        of the clips and of the result
//   target      LUFS of the result; the gain is searched
//   ceiling     dBTP
//   room_tone   dBFS of the noise under everything; absent: none
//   gain        dB; absent: searched. A gain that brings the result within `tolerance` LU of the target is
//   kept,
//               so that unchanged parts stay the same to the bit
//   tolerance   LU, 0.2 by default
//   fixed       1: the gain is used as it is
//
// Result
//   first a chunk of f64: gain dB, integrated LUFS, true peak dBTP, range LU, largest short-term LUFS,
//   samples;
//   then chunks of PCM16
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::cast {

std::shared_ptr<engine::JobKind> MakeMasterKind();

}  // namespace trunkline::cast
