#include "asr/moonshine.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "test/asr/models.h"

namespace trunkline::asr {
namespace {

std::shared_ptr<const MoonshineModel> SharedMoonshine() {
  static const auto model = MoonshineModel::Open(
      test::ModelOpener(SharedRuntime()),
      std::filesystem::path(test::ModelFile("moonshine-tiny-en/encoder.ort")).parent_path().string());
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return model.ok() ? model.value() : nullptr;
}

std::vector<int32_t> Pass(MoonshinePass& pass, std::span<const float> samples,
                          std::span<const int32_t> stable = {}) {
  pass.Begin(samples, stable);
  while (true) {
    const auto done = pass.Step();
    EXPECT_TRUE(done.ok()) << done.status().ToString();
    if (!done.ok() || done.value()) return pass.tokens();
  }
}

TEST(Moonshine, HearsReadEnglish) {
  TRUNKLINE_NEED_FILE(test::ModelFile("moonshine-tiny-en/encoder.ort"));
  TRUNKLINE_NEED_SPEECH();
  MoonshinePass pass(SharedMoonshine());
  size_t errors = 0, words = 0;
  for (const test::Clip& clip : test::Clips("ljspeech", "en")) {
    const auto samples = test::Resampled(test::ReadWav(test::Recording(clip.path)), 16000);
    const std::string text = pass.model().tokens().Decode(Pass(pass, samples));
    const auto expected = test::ScoredWords(clip.text);
    errors += test::WordErrors(expected, test::ScoredWords(text));
    words += expected.size();
  }
  ASSERT_GT(words, 50u);
  const double rate = static_cast<double>(errors) / static_cast<double>(words);
  std::printf("ljspeech en: word error %.3f (%zu of %zu)\n", rate, errors, words);
  EXPECT_LT(rate, 0.15);
}

TEST(Moonshine, GoesOnFromStableWords) {
  TRUNKLINE_NEED_FILE(test::ModelFile("moonshine-tiny-en/encoder.ort"));
  TRUNKLINE_NEED_SPEECH();
  MoonshinePass pass(SharedMoonshine());
  const auto clips = test::Clips("ljspeech", "en");
  ASSERT_FALSE(clips.empty());
  const auto samples = test::Resampled(test::ReadWav(test::Recording(clips[0].path)), 16000);
  const std::vector<int32_t> whole = Pass(pass, samples);
  ASSERT_GT(whole.size(), 8u);
  EXPECT_EQ(Pass(pass, samples, std::span(whole).first(5)), whole);
}

TEST(Moonshine, TooLittleAudioHasNoText) {
  TRUNKLINE_NEED_FILE(test::ModelFile("moonshine-tiny-en/encoder.ort"));
  MoonshinePass pass(SharedMoonshine());
  EXPECT_TRUE(Pass(pass, std::vector<float>(100, 0.1f)).empty());
  EXPECT_TRUE(Pass(pass, {}).empty());
}

}  // namespace
}  // namespace trunkline::asr
