// An engine without threads that has the synthesis models.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "test/support/files.h"

namespace trunkline::test {

// Leaves `config` with those models, and `also`. Skips the test where one is not at hand: whoever asks looks at
// Test::IsSkipped() then.
inline void ConfigureSpeech(engine::EngineConfig& config, std::initializer_list<const char*> also = {}) {
  TRUNKLINE_NEED_FILE(InferenceLibrary());
  config.media_threads = 0;
  config.inference_threads = 0;
  config.library = InferenceLibrary();
  std::vector<std::string> names = {
      "kokoro/prosody.onnx",     "kokoro/decoder.onnx",        "kokoro/generator.bin",
      "kokoro/vocab.json",       "kokoro/voices/af_heart.bin", "piper-joe/joe-text.onnx",
      "piper-joe/joe-flow.onnx", "piper-joe/joe-decoder.onnx", "piper-joe/joe.json",
      "hibari/hibari.onnx",      "espeak-ng/libespeak-ng.so.1"};
  names.insert(names.end(), also.begin(), also.end());
  for (const std::string& name : names) {
    TRUNKLINE_NEED_FILE(ModelFile(name));
    config.models[name] = ModelFile(name);
  }
  config.settings["speak.phonemes_program"] = TRUNKLINE_PHONEMES;
  config.settings["speak.known_voices"] = std::string(TRUNKLINE_ROOT) + "/models/known-voices.bin";
}

}  // namespace trunkline::test
