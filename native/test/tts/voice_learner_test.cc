// Tests the calibration of voices on a machine, besides the shipped ones.

#include "tts/voice_learner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test/tts/speech_files.h"

namespace trunkline::tts {
namespace {

std::shared_ptr<SpeechModels> Load(bool with_known_voices) {
  SpeechFiles files = test::SpeechFiles();
  if (!with_known_voices) files.known_voices.clear();
  auto runtime = onnx::Runtime::Load({test::InferenceLibrary(), 1});
  EXPECT_TRUE(runtime.ok()) << runtime.status().ToString();
  onnx::SessionOptions options;
  options.threads = 2;
  auto models = SpeechModels::Load(test::ModelOpener(*runtime), files, options);
  EXPECT_TRUE(models.ok()) << models.status().ToString();
  return models.ok() ? *models : nullptr;
}

// A voice that was not shipped is learnt; what was shipped is what any machine would have learnt.
TEST(VoiceLearner, LongFormLearnsWhatWasShipped) {
  const SpeechFiles files = test::SpeechFiles();
  for (const std::string& path :
       {files.kokoro.generator, files.piper.decoder, files.phonemes.library, files.known_voices}) {
    TRUNKLINE_NEED_FILE(path);
  }
  const auto bare = Load(false), shipped = Load(true);
  ASSERT_NE(bare, nullptr);
  ASSERT_NE(shipped, nullptr);
  VoiceSpec joe;
  joe.model = VoiceModel::kPiper;
  VoiceSpec sky;
  sky.styles = {{"af_sky", 1}};
  VoiceSpec hibari;
  hibari.model = VoiceModel::kHibari;
  for (const VoiceSpec& voice : {joe, sky, hibari}) {
    ASSERT_EQ(bare->FindCalibration(voice), nullptr);
    VoiceLearner learner(bare, voice);
    std::shared_ptr<const Calibration> learnt;
    while (learnt == nullptr) {
      auto step = learner.Step(nullptr);
      ASSERT_TRUE(step.ok()) << step.status().ToString();
      learnt = *step;
    }
    const auto known = shipped->FindCalibration(voice);
    ASSERT_NE(known, nullptr);
    EXPECT_NEAR(learnt->center_hz / known->center_hz, 1, 0.01);
    EXPECT_NEAR(20 * std::log10(learnt->gain / known->gain), 0, 0.2);
    ASSERT_EQ(learnt->statistics.size(), known->statistics.size());
    double error = 0, size = 0;
    for (size_t i = 0; i < learnt->statistics.size(); ++i) {
      error += std::pow(static_cast<double>(learnt->statistics[i] - known->statistics[i]), 2);
      size += std::pow(static_cast<double>(learnt->statistics[i]), 2);
    }
    EXPECT_LE(error, 1e-3 * size);
    EXPECT_EQ(bare->FindCalibration(voice), learnt);
  }
}

// A blend is not learnt: what is known of its styles is blended, in any accent.
TEST(VoiceLearner, ABlendIsKnownByItsStyles) {
  const SpeechFiles files = test::SpeechFiles();
  for (const std::string& path :
       {files.kokoro.generator, files.piper.decoder, files.phonemes.library, files.known_voices}) {
    TRUNKLINE_NEED_FILE(path);
  }
  const auto models = Load(true);
  ASSERT_NE(models, nullptr);
  VoiceSpec heart, george, blend, unknown;
  heart.styles = {{"af_heart", 1}};
  george.styles = {{"bm_george", 1}};
  george.accent = "en-gb";
  blend.styles = {{"af_heart", 0.5F}, {"bm_george", 0.5F}};
  unknown.styles = {{"af_heart", 0.5F}, {"xx_none", 0.5F}};
  const auto a = models->FindCalibration(heart), b = models->FindCalibration(george),
             mixed = models->FindCalibration(blend);
  ASSERT_TRUE(a != nullptr && b != nullptr && mixed != nullptr);
  EXPECT_NEAR(mixed->center_hz, std::sqrt(a->center_hz * b->center_hz), 0.1F);
  for (const size_t i : {0UL, a->statistics.size() / 2, a->statistics.size() - 1})
    EXPECT_NEAR(mixed->statistics[i], (a->statistics[i] + b->statistics[i]) / 2, 1e-3F);
  EXPECT_EQ(models->FindCalibration(unknown), nullptr);
}

}  // namespace
}  // namespace trunkline::tts
