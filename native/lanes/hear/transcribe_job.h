// The job that recognizes the first window of a recording. A long recording is a series of such jobs, each of
// which reports where the next begins, so that memory stays bounded, work can resume, and live work goes
// first.
//
// Input
//   PCM16 at 16 kHz, from where the previous job's result ends: more than 30 s of it (kWantedSeconds), or all that is
//   left
//
// Options
//   last                                  1: nothing follows the input
//   language, temperature, seed, terms    as for a lane
//   expected                              the language of the preceding audio, when none is fixed
//   recognizer                            the folder of an added recognizer that is open
//   task                                  `translate`: an English translation, its words without times
//
// Result: one chunk
//   u32 samples used (the next piece begins there), then until the chunk's end a text, or one of each
//   language where the window holds several after each other
//   text   u8 language index (255: no speech), three zeroes, f64 start, f64 end (seconds from the input's
//          start), a transcript (lanes/hear/transcript_record.h)
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::hear {

std::shared_ptr<engine::JobKind> MakeTranscribeKind();

}  // namespace trunkline::hear
