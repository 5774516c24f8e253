// The job that opens a recognizer which the operator added, and measures it. Lanes and jobs name it by its
// folder and find it only once it is open, because opening takes seconds.
//
// Options
//   recognizer    the folder of a Whisper
//   quick         the folder of a Moonshine, which makes the partials of English; both absent: nothing is opened
//   keep          list of folders: all other recognizers are closed; absent: none is
//
// Input: of a Moonshine, 16-bit samples at 16 kHz that it recognizes, or nothing
//
// Result: one chunk, empty when nothing was opened
//   of a Whisper:   f64 processor seconds of a final of three seconds, u32 bands, u32 layers of the decoder, u32 heads,
//                   u32 width, u32 tokens, u32 1 when it knows English alone
//   of a Moonshine: f64 processor seconds of a partial, u32 layers of the decoder, u32 heads, u32 width, u32 tokens,
//                   then the text of the input
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::hear {

std::shared_ptr<engine::JobKind> MakeOpenRecognizerKind();

}  // namespace trunkline::hear
