#include "engine/listening_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "asr/moonshine.h"
#include "asr/whisper_rows.h"
#include "dsp/g711.h"
#include "engine/listening_weights.h"
#include "test/asr/models.h"

namespace trunkline::engine {
namespace {

TEST(ListeningScore, NothingHeardTellsNothing) {
  EXPECT_EQ(ListeningScore({}, {}), 0);
}

std::vector<float> Sines(size_t width) {
  std::vector<float> rows(16 * width);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(std::sin(static_cast<double>(i)));
  return rows;
}

TEST(ListeningScore, IsWhatWasLearntAndOfTwoEarsTheMean) {
  const auto moonshine = Sines(kMoonshineRow), whisper = Sines(kWhisperRow);
  EXPECT_NEAR(ListeningScore(moonshine, {}), kMoonshineOfSines, 1e-2f);
  EXPECT_NEAR(ListeningScore({}, whisper), kWhisperOfSines, 1e-2f);
  EXPECT_NEAR(ListeningScore(moonshine, whisper), (kMoonshineOfSines + kWhisperOfSines) / 2, 1e-2f);
}

TEST(ListeningScore, HearsHowASoundBeginsAndHowItGoesOn) {
  std::vector<float> rows(16 * kMoonshineRow), turned(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = i < rows.size() / 2 ? 1.0f : -1.0f;
  for (size_t i = 0; i < rows.size(); ++i) turned[i] = -rows[i];
  EXPECT_GT(std::abs(ListeningScore(rows, {}) - ListeningScore(turned, {})), 1e-3f);
  // What is no whole row is left out.
  EXPECT_EQ(ListeningScore(std::span(rows).first(3 * kMoonshineRow + 7), {}),
            ListeningScore(std::span(rows).first(3 * kMoonshineRow), {}));
}

// A voice as a telephone brings it, from 100 ms before it is first loud to 340 ms after.
std::vector<float> FirstMoments(const std::string& path) {
  const std::vector<float> narrow = test::Resampled(test::ReadWav(test::Recording(path)), 8000);
  std::vector<int16_t> pcm;
  for (const float sample : narrow) pcm.push_back(static_cast<int16_t>(std::lround(sample * 32767)));
  std::vector<uint8_t> line(pcm.size());
  dsp::EncodeUlaw(pcm, line);
  dsp::DecodeUlaw(line, pcm);
  test::Recorded heard{8000, {}};
  for (const int16_t sample : pcm) heard.samples.push_back(sample / 32768.0f);
  double most = 0;
  const auto power = [&](size_t at) {
    double sum = 0;
    for (size_t i = at; i < at + 160 && i < heard.samples.size(); ++i)
      sum += heard.samples[i] * heard.samples[i];
    return sum;
  };
  for (size_t at = 0; at < heard.samples.size(); at += 160) most = std::max(most, power(at));
  size_t onset = 0;
  while (power(onset) < most * 0.02) onset += 160;
  const std::vector<float> wide = test::Resampled(heard, 16000);
  const size_t from = 2 * onset - std::min<size_t>(2 * onset, 1600);
  return {wide.begin() + static_cast<ptrdiff_t>(from),
          wide.begin() + static_cast<ptrdiff_t>(std::min(wide.size(), 2 * onset + 5440))};
}

// Speakers from whom it was learnt: that the engine hears what was heard while learning. How well it tells
// others apart is for bench/omni to say.
TEST(ListeningScore, TellsRealVoicesApartAfterAThirdOfASecond) {
  TRUNKLINE_NEED_FILE(test::ModelFile("moonshine-tiny-en/encoder.ort"));
  TRUNKLINE_NEED_WHISPER();
  TRUNKLINE_NEED_SPEECH();
  const auto model = asr::MoonshineModel::Open(
      asr::SharedRuntime(),
      std::filesystem::path(test::ModelFile("moonshine-tiny-en/encoder.ort")).parent_path().string());
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  asr::MoonshinePass pass(*model);
  asr::WhisperRows rows(asr::SharedWhisper());
  const auto score = [&](const std::string& path) {
    const std::vector<float> sound = FirstMoments(path);
    pass.Begin(sound, {});
    EXPECT_TRUE(pass.Step().ok());
    const auto heard = rows.Read(sound);
    EXPECT_TRUE(heard.ok()) << heard.status().ToString();
    return ListeningScore(pass.heard(), *heard);
  };
  for (const char* yes : {"an22-flrp-b", "an254-fash-b", "an32-mtje-b", "an357-mscg2-b", "an96-mskh-b"})
    EXPECT_GT(score(std::string("an4/") + yes + ".wav"), 0.0f) << yes;
  for (const char* other : {"an21-flrp-b", "an253-fash-b", "an31-mtje-b", "an356-mscg2-b", "an161-mfaa-b",
                            "an171-mjda-b", "an231-mcsc-b", "an291-ffmm-b"})
    EXPECT_LT(score(std::string("an4/") + other + ".wav"), 0.0f) << other;
}

}  // namespace
}  // namespace trunkline::engine
