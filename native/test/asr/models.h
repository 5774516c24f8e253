// Recognition models for tests, opened once a program.
#pragma once

#include <filesystem>
#include <memory>

#include "asr/transcriber.h"
#include "asr/whisper_model.h"
#include "test/support/files.h"
#include "test/support/open_models.h"
#include "test/support/speech.h"

namespace trunkline::asr {

inline std::shared_ptr<onnx::Runtime> SharedRuntime() {
  static const auto runtime = onnx::Runtime::Load({test::InferenceLibrary(), 1});
  return runtime.ok() ? runtime.value() : nullptr;
}

inline std::shared_ptr<const WhisperModel> SharedWhisper() {
  static const auto model = WhisperModel::Open(
      test::ModelOpener(SharedRuntime()),
      std::filesystem::path(test::ModelFile("whisper-base/encoder.onnx")).parent_path().string());
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return model.ok() ? model.value() : nullptr;
}

inline Transcript Heard(Transcriber& transcriber, std::span<const float> samples,
                        const TranscribeOptions& options, std::span<const Span> speech = {}) {
  transcriber.Begin(samples, speech, options);
  while (true) {
    const auto done = transcriber.Step();
    EXPECT_TRUE(done.ok()) << done.status().ToString();
    if (!done.ok() || done.value()) return transcriber.transcript();
  }
}

}  // namespace trunkline::asr

#define TRUNKLINE_NEED_WHISPER()                              \
  TRUNKLINE_NEED_FILE(::trunkline::test::InferenceLibrary()); \
  TRUNKLINE_NEED_FILE(::trunkline::test::ModelFile("whisper-base/encoder.onnx"))
