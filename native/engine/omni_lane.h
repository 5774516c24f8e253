// The lane of a voice agent: a caller's PCM16 in, an agent's PCM16 out, and the decisions between them that
// can't wait for JavaScript: what was said, whether it interrupts, what of the answer was heard.
//
// options   rate (8000, 16000, 24000), language (a code), endpointing_ms, terms (as hear_lane.h), barge
// ("high",
//           "normal", "low") or barge_dbfs (a number); the voice, as speak_options.h reads it
// verbs     kOmniSpeak     options: speech, segment, held (0 or 1), yields (0 or 1), text
//           kOmniFinish, kOmniRelease, kOmniDiscard   u32 speech
//           kOmniCut
//           kOmniVoice     options: the voice, from the next segment on
//           kOmniLanguage  options: language, from the next utterance on
// events    times are f64 milliseconds of the media clock; a *speech* and its segments are those of playout.h
//           kOmniSpeechStart   at
//           kOmniPartial       u32 utterance, text
//           kOmniEager, kOmniFinal, kOmniBackchannel   u32 utterance, u32 zero, start, end, at, asr, text
//           kOmniLost          as kOmniFinal, with what went wrong as its text: recognition failed
//           kOmniContinued     u32 utterance
//           kOmniPlaying       u32 speech, u32 segment, at
//           kOmniPlayed        u32 speech, u32 count, then for each segment u32 number, u32 complete, played
//           ms, total ms kOmniCutDone       u32 speech, u32 reason (0 barge-in, 1 command), played ms, u32
//           count, u32 zero, segments kOmniSpeechFailed  u32 speech, text kOmniDuck          u32 1 down, 0 up
//           again; at
#pragma once

#include <memory>

#include "engine/lane.h"

namespace trunkline::engine {

enum OmniEvent : uint16_t {
  kOmniSpeechStart = kFirstKindEvent,
  kOmniPartial,
  kOmniEager,
  kOmniContinued,
  kOmniFinal,
  kOmniBackchannel,
  kOmniPlaying,
  kOmniPlayed,
  kOmniCutDone,
  kOmniSpeechFailed,
  kOmniDuck,
  kOmniLost,
};

enum OmniVerb : uint16_t {
  kOmniSpeak = 1,
  kOmniFinish,
  kOmniRelease,
  kOmniDiscard,
  kOmniCut,
  kOmniVoice,
  kOmniLanguage,
};

std::shared_ptr<LaneKind> MakeOmniKind();

}  // namespace trunkline::engine
