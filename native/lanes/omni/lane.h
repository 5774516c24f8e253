// The lane of a voice agent: the caller's audio in, the agent's audio out, and the decisions that cannot wait
// for JavaScript: recognition, barge-in, and the playout position.
//
// Options
//   rate             8000, 16000, 24000
//   codec            "pcm16" (where absent) or "ulaw" (8 kHz): of both sides
//   language         a code
//   languages        codes, as hear/lane.h has them; absent: every utterance is in `language`
//   endpointing_ms   100 to 3000
//   terms            as hear/lane.h has them
//   barge            "high", "normal", "low"; or barge_dbfs, a number
//   primary_speaker  0 or 1: whether speech of others than the caller is left out (speaker_lock.h); 0 where absent
//   keys             0 or 1: whether DTMF is detected in the caller's audio; 0 where absent
//   recording        the path of a file that does not exist yet; kOmniRecord starts the recording
//   denoise_recording   0 or 1: whether the noise is taken out of the caller's side of the recording; 0 where absent
//   the voice        as speak/synthesize_job.h reads one
//   fed              0 or 1: whether segments may be fed; 0 where absent
//   owner            the scope of cached audio (tts/sound_cache.h); absent: none is cached
//
// Verbs
//   kOmniSpeak       options: speech, segment, held (0 or 1), yields (0 or 1), text; and fed_rate (8000 to 48000), where
//                    the segment's audio is fed instead of synthesized
//   kOmniFinish      u32 speech
//   kOmniRelease     u32 speech
//   kOmniDiscard     u32 speech
//   kOmniInterrupt         nothing
//   kOmniVoice       options: the voice, from the next segment on
//   kOmniLanguage    options: language and languages, from the next utterance on
//   kOmniTerms       options: terms, and before, the text that precedes what the caller says next; both replace
//                    the previous ones, and are empty where absent
//   kOmniRecord      nothing: from now on both sides are recorded
//   kOmniPauseRecording   nothing: the recording is silent until kOmniRecord
//   kOmniSound       u32 speech, u32 segment, PCM16 at its fed_rate: the next audio of the segment that kOmniFeed asked for
//   kOmniSoundEnd    u32 speech, u32 segment, u32 from: the feed ends; the lane's voice speaks its text from this byte
//                    on, nothing where `from` is the size of the text or more
//   kOmniLag         u32 milliseconds: the client plays what it is sent this much later, until the next kOmniLag
//
// Events. Times are milliseconds of the media clock; a speech and its segments are those of omni/playout.h.
// `language` is an index of asr::kLanguageCodes (255: not identified), `odds` how likely it is among those of the lane, and
// `spoken` the duration of the speech behind it.
// src/media/engine/kinds/omni.ts reads these rows; test/media/engine/omni-events.test.ts and
// test/omni/event_writer_test.cc check both sides.
//   kOmniSpeechStart    f64 at
//   kOmniPartial        u32 utterance, text
//   kOmniEager          u32 utterance, u32 language, f64 start, f64 end, f64 at, f64 asr, f64 odds, f64 spoken, text
//   kOmniContinued      u32 utterance
//   kOmniFinal          as kOmniEager
//   kOmniBackchannel    as kOmniEager
//   kOmniPlaying        u32 speech, u32 segment, f64 at
//   kOmniPlayed         u32 speech, u32 count, segments
//   kOmniInterrupted        u32 speech, u32 reason (0 barge-in, 1 command), f64 played, u32 count, u32 zero, segments
//   kOmniSpeechFailed   u32 speech, text
//   kOmniDuck           u32 down (0: up again), u32 zero, f64 at
//   kOmniLost           as kOmniEager; recognition failed, and the text says what went wrong
//   kOmniRecording      u32 began (0: it failed, and the text says why), u32 zero, f64 at, text
//   kOmniKey            u32 key, u32 zero, f64 at
//   kOmniMusic          u32 playing (0: it ended), u32 zero, f64 at; sent some seconds after that moment
//   kOmniFeed           u32 speech, u32 segment, f64 wanted; the milliseconds of the segment's audio, counted from its
//                       beginning, that may be fed by now
//   kOmniLeftOut        u32 utterance, u32 words, f64 start, f64 end; what another than the caller said, and that is in no
//                       text (speaker_lock.h); it follows the utterance's final
//   segments            each u32 number, u32 complete, f64 played, f64 total
#pragma once

#include <memory>

#include "engine/engine.h"

namespace trunkline::omni {

enum OmniEvent : uint16_t {
  kOmniSpeechStart = engine::kFirstKindEvent,
  kOmniPartial,
  kOmniEager,
  kOmniContinued,
  kOmniFinal,
  kOmniBackchannel,
  kOmniPlaying,
  kOmniPlayed,
  kOmniInterrupted,
  kOmniSpeechFailed,
  kOmniDuck,
  kOmniLost,
  kOmniRecording,
  kOmniKey,
  kOmniMusic,
  kOmniFeed,
  kOmniLeftOut,
};

enum OmniVerb : uint16_t {
  kOmniSpeak = 1,
  kOmniFinish,
  kOmniRelease,
  kOmniDiscard,
  kOmniInterrupt,
  kOmniVoice,
  kOmniLanguage,
  kOmniRecord,
  kOmniPauseRecording,
  kOmniTerms,
  kOmniLag,
  kOmniSound,
  kOmniSoundEnd,
};

std::shared_ptr<engine::LaneKind> MakeOmniKind();

}  // namespace trunkline::omni
