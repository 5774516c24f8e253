// The lane of streaming recognition: PCM16 in, utterances out. Its events, its verbs and how it is opened.
//
// options   rate (8000, 16000, 24000, 44100, 48000), language (a code, or absent for any), endpointing_ms,
// partials (0 or
//           1), temperature, seed, terms (list: a term, then what it sounds like, with tabs between)
// verbs     kHearCommit
// events    kHearPartial, kHearStable, kHearSpeechFinal, kHearFinal: u32 utterance, u32 end reason, f64
// start, f64 end
//           (seconds from the stream's start); then the text, or for kHearFinal a transcript
//           (transcript_record.h)
#pragma once

#include <memory>

#include "engine/lane.h"

namespace trunkline::engine {

enum HearEvent : uint16_t {
  kHearPartial = kFirstKindEvent,
  kHearStable,
  kHearSpeechFinal,
  kHearFinal,
  // i32 status code, text: an utterance could not be recognized; the stream goes on.
  kHearFailed,
};

inline constexpr uint16_t kHearCommit = 1;

std::shared_ptr<LaneKind> MakeHearKind();

}  // namespace trunkline::engine
