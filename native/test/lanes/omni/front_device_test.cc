// Kokoro's prosody and decoder on a GPU, with the real forms on a device that is the processor: the speech is understood as
// well as the processor's own, and what fails is made on the processor.
#include "tts/front_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "test/asr/models.h"
#include "test/support/simulated_cuda.h"
#include "test/tts/synthesis_scene.h"

namespace trunkline::omni {
namespace {

constexpr char kForms[] = "kokoro-gpu/";
constexpr std::string_view kText = "The next train to the harbour leaves at a quarter past nine.";

class FrontDeviceTest : public tts::SynthesisTest {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::ModelFile("kokoro-gpu/prosody.onnx"));
    tts::SynthesisTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    runtime_ = *onnx::Runtime::Load({cuda_.library(), 1});
    onnx::SessionOptions options;
    options.threads = 2;
    auto models = tts::SpeechModels::Load(test::ModelOpener(runtime_), test::SpeechFiles(), options);
    ASSERT_TRUE(models.ok()) << models.status().ToString();
    models_ = *models;
    const onnx::SessionOpener open = [this](const std::string& name, onnx::SessionOptions on_gpu) {
      on_gpu.device = onnx::Device::kCuda;
      return onnx::Session::Open(runtime_, test::ModelFile(name), on_gpu);
    };
    // The processor, in a GPU's place, may take long.
    auto front = tts::FrontDevice::Open(open, kForms, {.max_wait_nanos = 60'000 * base::kNanosPerMilli});
    ASSERT_TRUE(front.ok()) << front.status().ToString();
    front_ = *front;
    models_->ReadOn(front_);
    open_ = open;
  }

  // The words that the processor hears.
  static double ErrorsHeard(std::span<const float> speech) {
    asr::Transcriber transcriber(asr::SharedWhisper());
    asr::TranscribeOptions options;
    options.language = asr::Language::kEn;
    const std::vector<float> at16 =
        test::Resampled({tts::kKokoroRate, std::vector<float>(speech.begin(), speech.end())}, 16000);
    return test::ErrorRate(std::string(kText), asr::Heard(transcriber, at16, options).text);
  }

  const test::SimulatedCuda cuda_{"front"};
  std::shared_ptr<onnx::Runtime> runtime_;
  onnx::SessionOpener open_;
  std::shared_ptr<tts::FrontDevice> front_;
  std::shared_ptr<tts::SpeechModels> models_;
};

TEST_F(FrontDeviceTest, SpeechIsAsLongAndUnderstoodAsTheProcessors) {
  TRUNKLINE_NEED_WHISPER();
  const auto expected = Speak(Kokoro(), kText);
  const uint64_t before = front_->stats().works;
  const auto made = SpeakWith(models_, Kokoro(), kText);
  EXPECT_GE(front_->stats().works, before + 2) << "a clause was read and decoded there";
  const auto length = [](const std::vector<float>& speech) { return static_cast<double>(speech.size()); };
  EXPECT_NEAR(length(made) / length(expected), 1, 0.1);
  EXPECT_NEAR(ActiveDb(made), ActiveDb(expected), 1);
  EXPECT_LE(ErrorsHeard(made), ErrorsHeard(expected));
}

TEST_F(FrontDeviceTest, WhatFailsThereIsMadeOnTheProcessor) {
  cuda_.Fail("run CUDA error 700: an illegal memory access was encountered");
  const auto made = SpeakWith(models_, Kokoro(), kText);
  EXPECT_FALSE(front_->serves());
  EXPECT_EQ(made.size(), Speak(Kokoro(), kText).size());
}

// The second reading of a clause with a stressed word is given the pitch of each frame of the first.
TEST_F(FrontDeviceTest, LongFormAStressedClauseThatFailsBetweenItsReadingsIsMadeOnTheProcessor) {
  constexpr std::string_view kStressed = "They \uE000never, ever listen to the other passengers.";
  cuda_.Fail("later CUDA error 700: an illegal memory access was encountered");
  const auto made = SpeakWith(models_, Kokoro(), kStressed);
  EXPECT_FALSE(front_->serves());
  EXPECT_EQ(made.size(), Speak(Kokoro(), kStressed).size());
}

// A thread of the inference pool waits for the run, and other calls need it.
TEST_F(FrontDeviceTest, LongFormNoClauseWaitsForARunThatHangs) {
  auto front = tts::FrontDevice::Open(open_, kForms, {.max_wait_nanos = 50 * base::kNanosPerMilli});
  ASSERT_TRUE(front.ok()) << front.status().ToString();
  models_->ReadOn(*front);
  cuda_.Fail("hang");
  const auto made = SpeakWith(models_, Kokoro(), kText);
  EXPECT_TRUE((*front)->serves()) << "runs may take as long as they do";
  cuda_.Recover();
  EXPECT_EQ(made.size(), Speak(Kokoro(), kText).size());
}

}  // namespace
}  // namespace trunkline::omni
