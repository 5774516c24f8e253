// @requirement Call quality: Noise suppression for the people who listen keeps the voice and its time.
#include "enhance/denoiser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "test/support/open_models.h"
#include "test/support/speech.h"
#include "test/support/tiny_model.h"

namespace trunkline::enhance {
namespace {

using test::InferenceLibrary;
using test::ModelFile;
using Samples = std::vector<int16_t>;

double DbOf(std::span<const int16_t> samples) {
  double sum = 0;
  for (const int16_t sample : samples) sum += static_cast<double>(sample) * sample;
  return 10 * std::log10(sum / static_cast<double>(samples.size()) / (32768.0 * 32768) + 1e-12);
}

Samples Noise(size_t count, double dbfs) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0, 32768 * std::pow(10, dbfs / 20));
  Samples samples(count);
  for (int16_t& sample : samples)
    sample = static_cast<int16_t>(std::clamp(normal(random), -32768.0, 32767.0));
  return samples;
}

class DenoiserTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(InferenceLibrary());
    TRUNKLINE_NEED_FILE(ModelFile(Dtln::kMaskModel));
    auto runtime = onnx::Runtime::Load({.library = InferenceLibrary()});
    ASSERT_TRUE(runtime.ok()) << runtime.status().message();
    const auto open = test::ModelOpener(*runtime);
    auto mask = open(Dtln::kMaskModel, {}), wave = open(Dtln::kWaveModel, {});
    ASSERT_TRUE(mask.ok()) << mask.status().message();
    ASSERT_TRUE(wave.ok()) << wave.status().message();
    auto model = Dtln::Create(std::move(*mask), std::move(*wave));
    ASSERT_TRUE(model.ok()) << model.status().message();
    auto denoiser = Denoiser::Create(*model, GetParam());
    ASSERT_TRUE(denoiser.ok()) << denoiser.status().message();
    denoiser_ = std::move(*denoiser);
  }

  Samples Whole(std::span<const int16_t> in) {
    Samples out;
    denoiser_->Process(in, out);
    denoiser_->Flush(out);
    return out;
  }

  // A sentence of a person, at the stream's rate.
  Samples Speech() {
    const auto recorded = test::ReadWav(test::Recording("an4/cen1-menk-b.wav"));
    const std::vector<float> floats = test::Resampled(recorded, GetParam());
    Samples samples(floats.size());
    dsp::ToInt16(floats, samples);
    return samples;
  }

  std::unique_ptr<Denoiser> denoiser_;
};

TEST_P(DenoiserTest, TakesNoiseAndKeepsTheVoiceInItsPlace) {
  TRUNKLINE_NEED_FILE(test::Recording("an4/cen1-menk-b.wav"));
  const Samples speech = Speech();
  const auto second = static_cast<size_t>(GetParam());
  Samples said(second, 0);
  said.insert(said.end(), speech.begin(), speech.end());
  said.insert(said.end(), second, 0);
  const Samples noise = Noise(said.size(), DbOf(speech) - 10);
  Samples line(said.size());
  for (size_t i = 0; i < line.size(); ++i) line[i] = static_cast<int16_t>(said[i] + noise[i]);
  const Samples clean = Whole(line);
  ASSERT_EQ(clean.size(), line.size());
  // The last half of the second before the voice: the network knows the noise by then.
  const auto before = [&](const Samples& of) { return std::span(of).subspan(second / 2, second / 2); };
  EXPECT_LT(DbOf(before(clean)), DbOf(before(line)) - 20);
  // The voice is nearer to what was said than the line is, and at its time: a shift of 2 ms would be further away.
  const auto error = [&](const Samples& of, size_t shift) {
    Samples rest;
    for (size_t i = second; i < second + speech.size(); ++i) {
      rest.push_back(static_cast<int16_t>(of[i + shift] - said[i]));
    }
    return DbOf(rest);
  };
  EXPECT_LT(error(clean, 0), error(line, 0) - 3);
  EXPECT_LT(error(clean, 0), error(clean, second / 500) - 3);
}

TEST_P(DenoiserTest, GivesTheSameSamplesForAnySplit) {
  const Samples line = Noise(static_cast<size_t>(GetParam()), -30);
  const Samples whole = Whole(line);
  std::mt19937 random(3);
  Samples pieces;
  for (size_t at = 0; at < line.size();) {
    const size_t count = std::min<size_t>(random() % 700, line.size() - at);
    denoiser_->Process(std::span(line).subspan(at, count), pieces);
    at += count;
  }
  denoiser_->Flush(pieces);
  EXPECT_EQ(pieces, whole);
}

TEST_P(DenoiserTest, GivesWhatCameWithin45Milliseconds) {
  const Samples line = Noise(static_cast<size_t>(GetParam()), -30);
  const auto frame = static_cast<size_t>(GetParam() / 50);
  Samples out;
  size_t behind = 0;
  for (size_t at = 0; at + frame <= line.size(); at += frame) {
    denoiser_->Process(std::span(line).subspan(at, frame), out);
    behind = std::max(behind, at + frame - out.size());
  }
  EXPECT_LE(static_cast<double>(behind) / GetParam(), 0.045);
}

TEST_P(DenoiserTest, LeavesSilenceSilentAfterSpeechToo) {
  const auto second = static_cast<size_t>(GetParam());
  EXPECT_EQ(Whole(Samples(second, 0)), Samples(second, 0));
  Samples line = Noise(second, -20);
  line.insert(line.end(), second, 0);
  const Samples clean = Whole(line);
  // A hop and the resamplers' filters reach into the silence.
  const auto rest = std::span(clean).subspan(second + second / 25);
  for (const int16_t sample : rest) ASSERT_EQ(sample, 0);
}

TEST_P(DenoiserTest, BearsFullScaleAndSingleSamples) {
  Samples line(static_cast<size_t>(GetParam()));
  for (size_t i = 0; i < line.size(); ++i) line[i] = (i / 20) % 2 == 0 ? INT16_MIN : INT16_MAX;
  EXPECT_EQ(Whole(line).size(), line.size());
  EXPECT_EQ(Whole(Samples{1}).size(), 1u);
  EXPECT_TRUE(Whole({}).empty());
}

TEST_P(DenoiserTest, BeginsAnewAfterAFlush) {
  const Samples line = Noise(static_cast<size_t>(GetParam()) / 2, -25);
  const Samples first = Whole(line);
  EXPECT_EQ(Whole(line), first);
}

using DenoiserAtItsRate = DenoiserTest;

// make_denoiser.py runs the same networks over a whole signal with numpy's transform.
TEST_P(DenoiserAtItsRate, AgreesWithTheReference) {
  std::ifstream file(std::string(TRUNKLINE_VECTORS) + "/denoiser.bin", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Samples both;
  dsp::FromWire(base::AsBytes(bytes), both);
  ASSERT_EQ(both.size(), 16000u);
  const auto noisy = std::span(both).first(8000), expected = std::span(both).last(8000);
  ASSERT_LT(DbOf(expected), DbOf(noisy) - 1);
  const Samples clean = Whole(noisy);
  ASSERT_EQ(clean.size(), expected.size());
  for (size_t i = 0; i < clean.size(); ++i) ASSERT_NEAR(clean[i], expected[i], 4) << i;
}

INSTANTIATE_TEST_SUITE_P(Rate, DenoiserAtItsRate, ::testing::Values(Dtln::kRate));
INSTANTIATE_TEST_SUITE_P(Rates, DenoiserTest, ::testing::Values(8000, 16000, 24000));

TEST(DenoiserModel, RefusesAnotherModelAndARateThatCannotBeConverted) {
  TRUNKLINE_NEED_FILE(InferenceLibrary());
  auto runtime = onnx::Runtime::Load({.library = InferenceLibrary()});
  ASSERT_TRUE(runtime.ok());
  const std::string bytes = test::AddModel();
  auto mask = onnx::Session::OpenBytes(*runtime, base::AsBytes(bytes), {});
  auto wave = onnx::Session::OpenBytes(*runtime, base::AsBytes(bytes), {});
  ASSERT_TRUE(mask.ok() && wave.ok());
  EXPECT_EQ(Dtln::Create(std::move(*mask), std::move(*wave)).status().code(), base::Code::kBadModel);
  EXPECT_EQ(Denoiser::Create(nullptr, 44101).status().code(), base::Code::kInvalidArgument);
}

}  // namespace
}  // namespace trunkline::enhance
