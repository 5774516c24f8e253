// The layout of a transcript at the boundary. src/media/engine/transcript.ts reads it.
//
//   text    u32 bytes, the text, u32 words, then the words
//   word    f32 start, f32 end (seconds), u16 length, the word
#pragma once

#include <span>
#include <string_view>

#include "asr/asr.h"
#include "base/bytes.h"

namespace trunkline::hear {

size_t TranscriptBytes(std::string_view text, std::span<const asr::Word> words);
// `shift` is added to the words' times.
void WriteTranscript(base::ByteWriter& writer, std::string_view text, std::span<const asr::Word> words,
                     double shift);

}  // namespace trunkline::hear
