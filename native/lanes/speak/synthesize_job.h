// The job that speaks a text.
//
// Input
//   the text, UTF-8
//
// Options
//   model                              kokoro, piper, hibari
//   language                           en, es, …
//   accent                             en-us, …
//   folder                             a Piper voice that the operator added; its language and accent are any that the
//                                      phonemizer knows
//   voice_rate, speaker                of such a voice
//   styles                             list of NAME:SHARE
//   speed, pitch, range, gain, tilt    as in tts/voice.h
//   rate                               8000, 16000, 24000
//   format                             pcm16, ulaw, alaw
//   seed
//   offline                            1: no listener waits for the audio; live work goes first
//   window                             for comparison: frames of 12.5 ms, of every window
//   openings                           for comparison: 0, a long clause is synthesized whole before its first audio
//   whole                              for comparison: 1, every clause at once, as published, slower to start
//
// Result
//   chunks of audio in the requested format; the first comes after a few hundred milliseconds
//
// A job has the priority of first audio until its first chunk; after that each window is due when the audio
// before it has been played, so that streams that play have no gap while another waits for its start. A Kokoro that the
// operator added is offline work from its first step on.
#pragma once

#include <memory>
#include <string_view>

#include "dsp/watermark/watermark.h"
#include "engine/engine.h"
#include "tts/tts.h"

namespace trunkline::speak {

std::shared_ptr<engine::JobKind> MakeSynthesizeKind();

// The speech models, opened once for the job and for the lanes that speak.
class SpeechService {
 public:
  // A second caller gets the models that the first has opened.
  static base::Result<std::shared_ptr<tts::SpeechModels>> Open(engine::Services& services);
  static int Threads(const engine::Services& services);
};

// Reads a voice from options; kInvalidArgument names what is wrong.
base::Result<tts::VoiceSpec> ReadVoice(const engine::Options& options);

// Returns the watermark embedder for this rate; null for an empty code.
base::Result<std::unique_ptr<watermark::WatermarkEmbedder>> OpenEmbedder(std::string_view code, int rate);

}  // namespace trunkline::speak
