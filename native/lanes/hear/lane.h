// The lane of streaming recognition: PCM16 in, utterances out. Its events, its verbs and how it is opened.
//
// Options
//   rate             8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000
//   language         a code, or absent for any
//   languages        codes: finals are in one of them, and in another than `language` on clear evidence alone
//   endpointing_ms   100 to 3000
//   partials         0 or 1
//   stable_partials  0 or 1: stable words are reported, and a final begins with them
//   temperature, seed
//   recognizer       the folder of an added recognizer that is open: it writes the finals
//   terms            list: a term, then what it sounds like, with tabs between
//
// Verbs
//   kHearCommit        nothing
//
// Events. Times are seconds from the stream's start; a transcript is that of hear/transcript_record.h.
//   kHearPartial       u32 utterance, u32 end reason, f64 start, f64 end, text
//   kHearStable        as kHearPartial
//   kHearSpeechFinal   as kHearPartial
//   kHearFinal         u32 utterance, u32 end reason, f64 start, f64 end, transcript
//   kHearFailed        i32 status code, text: an utterance could not be recognized; the stream goes on
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::hear {

enum HearEvent : uint16_t {
  kHearPartial = engine::kFirstKindEvent,
  kHearStable,
  kHearSpeechFinal,
  kHearFinal,
  kHearFailed,
};

inline constexpr uint16_t kHearCommit = 1;

std::shared_ptr<engine::LaneKind> MakeHearKind();

}  // namespace trunkline::hear
