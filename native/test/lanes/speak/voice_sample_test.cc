// Real recordings: who speaks, and whether a recording serves to fit a voice, by the voice detector that the
// job uses.

#include "tts/voice_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "test/support/open_models.h"
#include "test/support/speech.h"
#include "test/support/tone.h"
#include "vad/recording.h"

namespace trunkline::speak {
namespace {

class VoiceSampleTest : public testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::ModelFile("speaker-vector/embedder.onnx"));
    TRUNKLINE_NEED_FILE(test::ModelFile("silero-vad/silero_vad.onnx"));
    TRUNKLINE_NEED_FILE(test::Recording("ljspeech/LJ001-0001.wav"));
    auto runtime = onnx::Runtime::Load({test::InferenceLibrary(), 1});
    ASSERT_TRUE(runtime.ok());
    auto speakers = speaker::Embedder::Open(test::ModelOpener(*runtime));
    ASSERT_TRUE(speakers.ok()) << speakers.status().ToString();
    speakers_ = std::move(*speakers);
    auto activity = vad::Silero::OpenModel(*runtime, test::ModelFile("silero-vad/silero_vad.onnx"));
    ASSERT_TRUE(activity.ok()) << activity.status().ToString();
    activity_ = *activity;
  }

  static std::vector<float> Lj(int number) {
    char name[40];
    std::snprintf(name, sizeof name, "ljspeech/LJ001-%04d.wav", number);
    return test::Resampled(test::ReadWav(test::Recording(name)), speaker::kRate);
  }

  tts::VoiceSample Read(const std::vector<float>& samples) {
    vad::RecordingActivity activity(activity_, samples);
    for (bool done = false; !done;) {
      const auto step = activity.Step();
      EXPECT_TRUE(step.ok()) << step.status().ToString();
      done = !step.ok() || *step;
    }
    tts::SampleReader reader(samples, activity.likelihoods());
    for (;;) {
      const auto done = reader.Step(*speakers_, nullptr);
      EXPECT_TRUE(done.ok()) << done.status().ToString();
      if (!done.ok() || *done) return reader.sample();
    }
  }

  std::string Verdict(const std::vector<float>& samples) {
    return std::string(tts::SampleVerdictName(Read(samples).verdict));
  }

  std::unique_ptr<speaker::Embedder> speakers_;
  std::shared_ptr<onnx::Session> activity_;
};

// A second of it, a second of digital rest.
std::vector<float> InBursts(std::vector<float> samples) {
  for (size_t i = 0; i < samples.size(); ++i) {
    if (i / speaker::kRate % 2 == 1) samples[i] = 0;
  }
  return samples;
}

std::vector<float> Noise(size_t count, float level, bool brown = false) {
  std::mt19937 random(1);
  std::normal_distribution<float> white(0, 1);
  std::vector<float> noise(count);
  float low = 0;
  double power = 0;
  for (float& sample : noise) {
    low = 0.97F * low + white(random);
    sample = brown ? low : white(random);
    power += static_cast<double>(sample) * sample / static_cast<double>(count);
  }
  for (float& sample : noise) sample *= level / static_cast<float>(std::sqrt(power));
  return noise;
}

float Level(const std::vector<float>& samples) {
  double power = 0;
  for (const float s : samples) power += static_cast<double>(s) * s / static_cast<double>(samples.size());
  return static_cast<float>(std::sqrt(power));
}

// Applies a noise gate that mutes the pauses between words, 50 ms after the speech has fallen.
std::vector<float> Gated(const std::vector<float>& speech, std::vector<float> samples) {
  const float open = Level(speech) / 18;
  size_t silent = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    silent = std::abs(speech[i]) > open ? 0 : silent + 1;
    if (silent > speaker::kRate / 20) samples[i] = 0;
  }
  return samples;
}

std::vector<float> Sum(std::vector<float> one, const std::vector<float>& other) {
  for (size_t i = 0; i < one.size(); ++i) one[i] += other[i];
  return one;
}

TEST_F(VoiceSampleTest, OneSpeakerTwiceIsAlike) {
  const auto one = speakers_->Of(Lj(1), nullptr), two = speakers_->Of(Lj(2), nullptr);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_GT(speaker::Cosine(*one, *two), 0.6F);
}

TEST_F(VoiceSampleTest, AGoodRecordingServes) {
  const tts::VoiceSample sample = Read(Lj(1));
  EXPECT_EQ(tts::SampleVerdictName(sample.verdict), "good");
  EXPECT_GT(sample.speech_seconds, 3);
  EXPECT_GT(sample.pitch_hz, 150);
  EXPECT_LT(sample.pitch_hz, 300);
  EXPECT_EQ(sample.vector.size(), 256u);
}

TEST_F(VoiceSampleTest, TooLittleSpeechIsSaid) {
  std::vector<float> samples = Lj(1);
  samples.resize(2 * speaker::kRate);
  EXPECT_EQ(Read(samples).verdict, tts::SampleVerdict::kTooShort);
}

TEST_F(VoiceSampleTest, WhatIsNoSpeechIsSaid) {
  constexpr size_t kCount = 20UL * speaker::kRate;
  EXPECT_EQ(Verdict({}), "no_speech");
  EXPECT_EQ(Verdict(std::vector<float>(kCount, 0.0F)), "no_speech");
  for (const bool brown : {false, true}) {
    EXPECT_EQ(Verdict(Noise(kCount, 0.1F, brown)), "no_speech");
    EXPECT_EQ(Verdict(InBursts(Noise(kCount, 0.1F, brown))), "no_speech");
  }
  for (const double hertz : {120.0, 220.0, 440.0}) {
    EXPECT_EQ(Verdict(InBursts(test::Tone(kCount, hertz))), "no_speech") << hertz;
  }
}

// Readers, rooms and microphones that the limits were not chosen by.
TEST_F(VoiceSampleTest, ManyRecordingsServe) {
  for (const char* name : {"ljspeech/LJ001-0002.wav", "thorsten/125b660d37dc16ec21d28eac29e80bcb.wav"}) {
    const std::vector<float> once = test::Resampled(test::ReadWav(test::Recording(name)), speaker::kRate);
    std::vector<float> samples;
    while (samples.size() < 8UL * speaker::kRate) samples.insert(samples.end(), once.begin(), once.end());
    EXPECT_EQ(Verdict(samples), "good") << name;
    for (float& sample : samples) sample *= 0.03F;
    EXPECT_EQ(Verdict(samples), "good") << name << ", 30 dB softer";
  }
}

TEST_F(VoiceSampleTest, TooMuchSpeechIsSaid) {
  const std::vector<float> once = Lj(1);
  std::vector<float> samples;
  while (samples.size() < 200UL * speaker::kRate) samples.insert(samples.end(), once.begin(), once.end());
  EXPECT_EQ(Read(samples).verdict, tts::SampleVerdict::kTooLong);
}

TEST_F(VoiceSampleTest, NoiseUnderSpeechIsSaidWhateverAGateMadeOfTheRests) {
  const std::vector<float> speech = Lj(1);
  for (const bool brown : {false, true}) {
    const auto noisy = Sum(speech, Noise(speech.size(), Level(speech) / 2, brown));
    EXPECT_EQ(Verdict(noisy), "too_noisy") << brown;
    EXPECT_EQ(Verdict(Gated(speech, noisy)), "too_noisy") << brown;
  }
  EXPECT_EQ(Verdict(Gated(speech, speech)), "good");
}

TEST_F(VoiceSampleTest, SeveralSpeakersAreSaid) {
  TRUNKLINE_NEED_FILE(test::Recording("thorsten/125b660d37dc16ec21d28eac29e80bcb.wav"));
  std::vector<float> samples = Lj(1);
  const auto other = test::Resampled(
      test::ReadWav(test::Recording("thorsten/125b660d37dc16ec21d28eac29e80bcb.wav")), speaker::kRate);
  while (samples.size() < 2 * Lj(1).size()) samples.insert(samples.end(), other.begin(), other.end());
  EXPECT_EQ(Read(samples).verdict, tts::SampleVerdict::kSeveralSpeakers);
}

}  // namespace
}  // namespace trunkline::speak
