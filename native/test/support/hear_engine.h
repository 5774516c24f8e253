// An engine without threads that has the recognition models, driven by hand on a manual clock.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "engine/engine.h"
#include "test/support/drained.h"
#include "test/support/speech.h"

namespace trunkline::test {

class HearEngineTest : public ::testing::Test {
 protected:
  // Skips the test where the models are not at hand.
  void Make(engine::Kinds kinds, engine::EngineConfig config = {}) {
    TRUNKLINE_NEED_FILE(InferenceLibrary());
    config.slots = 16;
    config.capacity = 100000;
    config.media_threads = 0;
    config.inference_threads = 0;
    config.jobs = 2;
    if (config.library.empty()) config.library = InferenceLibrary();
    for (const char* name :
         {"silero-vad/silero_vad.onnx", "smart-turn/smart-turn-v3.2.onnx", "whisper-base/encoder.onnx",
          "whisper-base/decoder.onnx", "moonshine-tiny-en/encoder.ort", "moonshine-tiny-en/decoder.ort"}) {
      TRUNKLINE_NEED_FILE(ModelFile(name));
      config.models[name] = ModelFile(name);
    }
    engine_ = std::make_unique<engine::Engine>(config, std::move(kinds), nullptr, clock_);
    RunAll();
    DrainAll(*engine_);
    for (const auto& kind : engine_->kinds()) ASSERT_TRUE(kind.status.ok()) << kind.status.ToString();
  }

  void RunAll() {
    while (engine_->RunTask()) {
    }
  }

  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace trunkline::test
