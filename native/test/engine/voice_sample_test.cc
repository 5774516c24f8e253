// Real recordings: who speaks, and whether a recording serves to fit a voice.

#include "tts/voice_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "test/support/speech.h"

namespace trunkline::tts {
namespace {

class VoiceSampleTest : public testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::ModelFile("speaker-vector/embedder.onnx"));
    TRUNKLINE_NEED_FILE(test::Recording("ljspeech/LJ001-0001.wav"));
    auto runtime = onnx::Runtime::Load({test::InferenceLibrary(), 1});
    ASSERT_TRUE(runtime.ok());
    auto speakers = SpeakerVector::Load(*runtime, test::ModelFile("speaker-vector/embedder.onnx"), {});
    ASSERT_TRUE(speakers.ok()) << speakers.status().ToString();
    speakers_ = std::move(*speakers);
  }

  static std::vector<float> Lj(int number) {
    char name[40];
    std::snprintf(name, sizeof name, "ljspeech/LJ001-%04d.wav", number);
    return test::Resampled(test::ReadWav(test::Recording(name)), kSpeakerRate);
  }

  VoiceSample Read(const std::vector<float>& samples) {
    SampleReader reader(samples);
    for (;;) {
      const auto done = reader.Step(*speakers_, nullptr);
      EXPECT_TRUE(done.ok()) << done.status().ToString();
      if (!done.ok() || *done) return reader.sample();
    }
  }

  std::unique_ptr<SpeakerVector> speakers_;
};

TEST_F(VoiceSampleTest, OneSpeakerTwiceIsAlike) {
  const auto one = speakers_->Of(Lj(1), nullptr), two = speakers_->Of(Lj(2), nullptr);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_GT(Cosine(*one, *two), 0.6F);
}

TEST_F(VoiceSampleTest, AGoodRecordingServes) {
  const VoiceSample sample = Read(Lj(1));
  EXPECT_EQ(SampleVerdictName(sample.verdict), "good");
  EXPECT_GT(sample.speech_seconds, 3);
  EXPECT_GT(sample.pitch_hz, 150);
  EXPECT_LT(sample.pitch_hz, 300);
  EXPECT_EQ(sample.vector.size(), 256u);
}

TEST_F(VoiceSampleTest, TooLittleSpeechIsSaid) {
  std::vector<float> samples = Lj(1);
  samples.resize(2 * kSpeakerRate);
  EXPECT_EQ(Read(samples).verdict, SampleVerdict::kTooShort);
  EXPECT_EQ(Read(std::vector<float>(10 * kSpeakerRate, 0.0F)).verdict, SampleVerdict::kTooShort);
  EXPECT_EQ(Read({}).verdict, SampleVerdict::kTooShort);
}

TEST_F(VoiceSampleTest, TooMuchSpeechIsSaid) {
  const std::vector<float> once = Lj(1);
  std::vector<float> samples;
  while (samples.size() < 200UL * kSpeakerRate) samples.insert(samples.end(), once.begin(), once.end());
  EXPECT_EQ(Read(samples).verdict, SampleVerdict::kTooLong);
}

TEST_F(VoiceSampleTest, NoiseIsSaid) {
  std::vector<float> samples = Lj(1);
  double power = 0;
  for (const float s : samples) power += static_cast<double>(s) * s / static_cast<double>(samples.size());
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, static_cast<float>(std::sqrt(power / 4)));
  for (float& s : samples) s += noise(random);
  EXPECT_EQ(Read(samples).verdict, SampleVerdict::kTooNoisy);
}

TEST_F(VoiceSampleTest, SeveralSpeakersAreSaid) {
  TRUNKLINE_NEED_FILE(test::Recording("thorsten/125b660d37dc16ec21d28eac29e80bcb.wav"));
  std::vector<float> samples = Lj(1);
  const auto other = test::Resampled(
      test::ReadWav(test::Recording("thorsten/125b660d37dc16ec21d28eac29e80bcb.wav")), kSpeakerRate);
  while (samples.size() < 2 * Lj(1).size()) samples.insert(samples.end(), other.begin(), other.end());
  EXPECT_EQ(Read(samples).verdict, SampleVerdict::kSeveralSpeakers);
}

TEST(MedianPitch, IsThatOfATone) {
  for (const double hertz : {90.0, 140.0, 220.0, 300.0}) {
    std::vector<float> tone(kSpeakerRate);
    for (size_t i = 0; i < tone.size(); ++i) {
      const double t = static_cast<double>(i) / kSpeakerRate;
      for (int harmonic = 1; harmonic < 6; ++harmonic) {
        tone[i] += static_cast<float>(0.2 / harmonic * std::sin(2 * std::numbers::pi * hertz * harmonic * t));
      }
    }
    EXPECT_NEAR(MedianPitch(tone, kSpeakerRate), hertz, hertz * 0.04) << hertz;
  }
}

}  // namespace
}  // namespace trunkline::tts
