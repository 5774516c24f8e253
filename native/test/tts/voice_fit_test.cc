// A similar voice, fitted with the real models.

#include "tts/voice_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "dsp/resampler.h"
#include "test/support/own_path.h"
#include "test/support/speech.h"
#include "test/tts/speech_files.h"
#include "tts/spectrum.h"
#include "tts/synthesis.h"
#include "tts/tilt.h"

namespace trunkline::tts {
namespace {

class VoiceFitTest : public testing::Test {
 protected:
  void SetUp() override {
    const SpeechFiles files = test::SpeechFiles();
    const std::string embedder = test::ModelFile("speaker-vector/embedder.onnx");
    for (const std::string& path : {files.kokoro.generator, files.phonemes.library, embedder,
                                    test::Recording("ljspeech/LJ001-0001.wav")}) {
      TRUNKLINE_NEED_FILE(path);
    }
    auto runtime = onnx::Runtime::Load({test::InferenceLibrary(), 1});
    ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
    runtime_ = *runtime;
    onnx::SessionOptions options;
    options.threads = 2;
    auto models = SpeechModels::Load(test::ModelOpener(runtime_), files, options);
    ASSERT_TRUE(models.ok()) << models.status().ToString();
    models_ = *models;
    auto speakers = speaker::Embedder::Open(test::ModelOpener(runtime_));
    ASSERT_TRUE(speakers.ok()) << speakers.status().ToString();
    speakers_ = std::move(*speakers);
    folder_ = test::OwnPath("profiles");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  struct Course {
    FittedVoice best;
    size_t steps = 0;
    // A speaker's vector is a few runs of a small model, one for each 0.8 s; every other step is one run.
    size_t vectors = 0;
  };

  Course Fit(const VoiceSample& sample) {
    VoiceFit fit(models_, speakers_, std::make_shared<StyleProfiles>(folder_, "test", nullptr), VoiceSpec{},
                 kStyles, sample);
    Course course;
    for (bool done = false; !done;) {
      const uint64_t before = runtime_->runs();
      const auto step = fit.Step(nullptr);
      EXPECT_TRUE(step.ok()) << step.status().ToString();
      if (!step.ok()) break;
      done = *step;
      const uint64_t runs = runtime_->runs() - before;
      if (runs > 1) ++course.vectors;
      ++course.steps;
      EXPECT_GE(fit.progress(), 0.0F);
      EXPECT_LE(fit.progress(), 1.0F);
    }
    course.best = fit.best();
    return course;
  }

  VoiceSample Speaker() {
    const auto speech =
        test::Resampled(test::ReadWav(test::Recording("ljspeech/LJ001-0001.wav")), speaker::kRate);
    // All of it is speech: where somebody speaks is for another test.
    SampleReader reader(speech, std::vector<float>(speech.size() / kHeardFrame, 1.0F));
    for (bool done = false; !done;) {
      const uint64_t before = runtime_->runs();
      const auto step = reader.Step(*speakers_, nullptr);
      EXPECT_TRUE(step.ok()) << step.status().ToString();
      EXPECT_LE(runtime_->runs() - before, 8U);  // three seconds of it
      if (!step.ok()) break;
      done = *step;
    }
    return reader.sample();
  }

  static VoiceSpec Emma() {
    VoiceSpec voice;
    voice.accent = "en-gb";
    voice.styles = {{"bf_emma", 1}};
    return voice;
  }

  static constexpr const char* kWords =
      "The old harbour lies beyond the bridge, where small boats wait for the morning tide and nobody "
      "hurries.";
  const std::vector<std::string> kStyles = {"af_heart", "af_nicole", "bf_emma"};
  std::shared_ptr<onnx::Runtime> runtime_;
  std::shared_ptr<SpeechModels> models_;
  std::shared_ptr<speaker::Embedder> speakers_;
  std::string folder_;
};

TEST_F(VoiceFitTest, LongFormTakesOneRunOrOneVectorAStepAndSpeaksNoStyleTwice) {
  const VoiceSample sample = Speaker();
  ASSERT_EQ(SampleVerdictName(sample.verdict), "good");
  const Course first = Fit(sample);
  // Each blend is heard once, and once more where it is tilted.
  EXPECT_GE(first.vectors, kStyles.size() + 3);
  EXPECT_LE(first.vectors, kStyles.size() + 6);
  const Course again = Fit(sample);
  EXPECT_EQ(again.vectors, first.vectors - kStyles.size());
  // The styles' profiles were stored: only the three blends are spoken, each in at most four steps.
  EXPECT_LE(again.steps, 3 * 4 + 1U);
  EXPECT_GT(first.steps, again.steps);
  // The same voice, however the profiles came.
  ASSERT_EQ(first.best.styles.size(), again.best.styles.size());
  for (size_t i = 0; i < first.best.styles.size(); ++i) {
    EXPECT_EQ(first.best.styles[i].name, again.best.styles[i].name);
    EXPECT_FLOAT_EQ(first.best.styles[i].share, again.best.styles[i].share);
  }
  EXPECT_NEAR(first.best.similarity, again.best.similarity, 1e-4F);
}

TEST_F(VoiceFitTest, FindsTheStyleThatSpeaks) {
  // The speaker is one of the styles: nothing can be more like it.
  VoiceSample sample = Speaker();
  Fit(sample);
  StyleProfiles profiles(folder_, "test", nullptr);
  StyleProfile emma;
  ASSERT_TRUE(profiles.Find("bf_emma", emma));
  EXPECT_EQ(emma.vector.size(), speaker::kVectorSize);
  sample.vector = emma.vector;
  sample.pitch_hz = emma.pitch_hz;
  const Course course = Fit(sample);
  float share = 0, sum = 0;
  for (const StylePart& part : course.best.styles) {
    sum += part.share;
    if (part.name == "bf_emma") share = part.share;
  }
  EXPECT_GE(share, 0.6F);
  EXPECT_NEAR(sum, 1.0F, 1e-5F);
  EXPECT_NEAR(course.best.pitch, 1.0F, 0.05F);
  EXPECT_GT(course.best.similarity, 0.9F);
}

// The speaker is one of the styles behind a filter: the fit finds the filter too.
TEST_F(VoiceFitTest, LongFormFollowsTheSpectrumOfTheSpeaker) {
  const speaker::Mel mel;
  VoiceSample speaker = Speaker();
  for (const float db : {-5.0F, 5.0F}) {
    auto synthesis = Synthesis::Open(models_, Emma(), kWords, {});
    ASSERT_TRUE(synthesis.ok());
    std::vector<float> said;
    while (!(*synthesis)->done()) ASSERT_TRUE((*synthesis)->Step(nullptr, said).ok());
    auto heard = dsp::ResampleWhole(said, kKokoroRate, speaker::kRate, dsp::Grade::kSpeech);
    TiltFilter tilt(speaker::kRate, db);
    for (float& sample : heard) sample = tilt.Next(sample);
    auto vector = speakers_->Of(heard, nullptr);
    ASSERT_TRUE(vector.ok());
    speaker.vector = *vector;
    speaker.spectrum = MeanSpectrum(mel.Power(heard));
    speaker.pitch_hz = MedianPitch(heard, speaker::kRate);
    const Course course = Fit(speaker);
    EXPECT_GE(course.best.tilt_db / db, 0.4F) << course.best.tilt_db;
    EXPECT_GT(course.best.similarity, 0.8F);
  }
}

}  // namespace
}  // namespace trunkline::tts
