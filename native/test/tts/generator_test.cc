// The generator against the published graph (models/recipes/kokoro/reference.py), on every kind of processor
// that this one can stand for.

#include "tts/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include "test/support/own_path.h"
#include "test/tts/speech_files.h"
#include "test/tts/waves.h"

namespace trunkline::tts {
namespace {

constexpr size_t kFrames = 12;
constexpr size_t kSamples = kFrames * 300;

class GeneratorTest : public testing::TestWithParam<const GeneratorKernels*> {
 protected:
  void SetUp() override {
    const std::string file = test::SpeechFiles().kokoro.generator;
    TRUNKLINE_NEED_FILE(file);
    auto weights = LoadGenerator(file, *GetParam());
    ASSERT_TRUE(weights.ok()) << weights.status().ToString();
    weights_ = std::move(weights).value();
    std::ifstream golden(std::string(TRUNKLINE_ROOT) + "/native/test/vectors/kokoro_generator.bin",
                         std::ios::binary);
    for (auto* numbers : {&measured_, &own_, &other_}) {
      numbers->resize(numbers == &measured_ ? weights_->statistics : kSamples);
      golden.read(reinterpret_cast<char*>(numbers->data()),
                  static_cast<std::streamsize>(numbers->size() * sizeof(float)));
    }
    ASSERT_TRUE(golden.good());
  }

  GeneratorInput Input(std::span<const float> statistics) const {
    return {style_, x_, harmonics_, kFrames, 0, statistics};
  }

  std::vector<float> Given() const {
    std::vector<float> given = measured_;
    for (size_t i = 0; i < given.size(); ++i)
      given[i] *= static_cast<float>(1 + 0.05 * std::sin(static_cast<double>(i)));
    return given;
  }

  std::vector<float> Speak(std::span<const float> statistics, size_t frames) const {
    GeneratorStream stream(weights_, Input(statistics));
    std::vector<float> out;
    while (!stream.done()) EXPECT_TRUE(stream.Step(frames, nullptr, out).ok());
    return out;
  }

  std::shared_ptr<const GeneratorWeights> weights_;
  std::vector<float> measured_, own_, other_;
  const std::vector<float> style_ = Waves(1, 256, 0.2, 0, 0.7);
  const std::vector<float> x_ = Waves(512, kFrames, 0.8, 0.37, 1.3);
  const std::vector<float> harmonics_ = Waves(22, 60 * kFrames + 1, 0.5, 0.9, 0.11);
};

TEST_P(GeneratorTest, SpeaksAsThePublishedGraph) {
  const auto made = Speak(Given(), kFrames);
  ASSERT_EQ(made.size(), kSamples);
  EXPECT_GT(AgreementDb(made, other_), 80);
}

TEST_P(GeneratorTest, MeasuresAsThePublishedGraph) {
  GeneratorStream stream(weights_, Input({}));
  std::vector<float> out;
  ASSERT_TRUE(stream.Step(kFrames, nullptr, out).ok());
  ASSERT_TRUE(stream.done());
  EXPECT_GT(AgreementDb(out, own_), 80);
  EXPECT_GT(AgreementDb(stream.statistics(), measured_), 80);
}

TEST_P(GeneratorTest, AnySplitGivesTheSameSamplesToTheBit) {
  const auto given = Given();
  const auto whole = Speak(given, 1000);
  for (const size_t frames : {1, 3, 7}) EXPECT_EQ(Speak(given, frames), whole) << frames;
}

TEST_P(GeneratorTest, FramesThatComeInPiecesGiveTheSameSamplesToTheBit) {
  const auto given = Given();
  const auto whole = Speak(given, 1000);
  for (const size_t piece : {1, 4, 5}) {
    GeneratorStream stream(weights_, style_, given);
    std::vector<float> out;
    for (size_t begin = 0; begin < kFrames; begin += piece) {
      const size_t end = std::min(begin + piece, kFrames);
      EXPECT_FALSE(stream.Has(kFrames));
      stream.Append({x_, harmonics_, kFrames, begin, end}, end == kFrames);
      ASSERT_TRUE(stream.Step(2, nullptr, out).ok());
    }
    EXPECT_TRUE(stream.Has(kFrames));
    while (!stream.done()) ASSERT_TRUE(stream.Step(2, nullptr, out).ok());
    EXPECT_EQ(out, whole) << piece;
  }
}

TEST_P(GeneratorTest, TwoThreadsGiveTheSameSamplesToTheBit) {
  const auto given = Given();
  const auto alone = Speak(given, 5), measured = Speak({}, kFrames);
  auto two = LoadGenerator(test::SpeechFiles().kokoro.generator, *GetParam(), 2);
  ASSERT_TRUE(two.ok());
  weights_ = std::move(two).value();
  for (int run = 0; run < 3; ++run) EXPECT_EQ(Speak(given, 5), alone);
  EXPECT_EQ(Speak({}, kFrames), measured);
  // Two who speak at once: one of them has the second thread.
  std::vector<float> other;
  std::thread thread([&] { other = Speak(given, 5); });
  EXPECT_EQ(Speak(given, 5), alone);
  thread.join();
  EXPECT_EQ(other, alone);
}

TEST(Generator, FilesThatHoldNoneAreRefused) {
  const std::string path = test::OwnPath("no-generator");
  std::ofstream(path) << "TLGW0001";
  EXPECT_EQ(LoadGenerator(path, PlainGeneratorKernels()).status().code(), base::Code::kBadModel);
  std::ofstream(path) << "something else";
  EXPECT_EQ(LoadGenerator(path, PlainGeneratorKernels()).status().code(), base::Code::kBadModel);
}

INSTANTIATE_TEST_SUITE_P(Kernels, GeneratorTest, testing::ValuesIn(RunnableGeneratorKernels()),
                         [](const auto& tested) { return std::string(tested.param->name); });

}  // namespace
}  // namespace trunkline::tts
