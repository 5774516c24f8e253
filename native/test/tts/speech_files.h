// The models of speech where the cache holds them.
#pragma once

#include "test/support/open_models.h"
#include "tts/speech_models.h"

namespace trunkline::test {

inline tts::SpeechFiles SpeechFiles() {
  tts::SpeechFiles files;
  files.kokoro = {ModelFile("kokoro/generator.bin"), ModelFile("kokoro/vocab.json")};
  const std::string style = ModelFile("kokoro/voices/af_heart.bin");
  files.styles = style.substr(0, style.rfind('/'));
  files.piper = {ModelFile("piper-joe/joe-decoder.onnx"), ModelFile("piper-joe/joe.json")};
  files.mandarin = ModelFile("mandarin/mandarin.bin");
  files.japanese = ModelFile("japanese/japanese.bin");
  files.hibari = ModelFile("hibari/hibari.onnx");
  const std::string library = ModelFile("espeak-ng/libespeak-ng.so.1");
  files.known_voices = std::string(TRUNKLINE_VECTORS) + "/../../../models/known-voices.bin";
  files.phonemes = {TRUNKLINE_PHONEMES, library, library.substr(0, library.rfind('/')), 3000};
  return files;
}

}  // namespace trunkline::test
