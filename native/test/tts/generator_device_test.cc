// Kokoro's generator on a GPU, with the real form on the CPU provider: windows of many clauses together are what each is
// alone, and what fails goes on with the processor's generator.
#include "tts/generator_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <semaphore>
#include <vector>

#include "test/tts/speech_files.h"
#include "test/tts/waves.h"

namespace trunkline::tts {
namespace {

constexpr char kForm[] = "kokoro-gpu/generator.onnx";

struct Clause {
  explicit Clause(size_t length, double seed = 0)
      : frames(length),
        x(Waves(kGeneratorChannels, length, 0.8, 0.37 + 0.01 * seed, 1.3)),
        harmonics(Waves(kHarmonics, kHarmonicSteps * length + 1, 0.5, 0.9, 0.11 + 0.003 * seed)) {}
  size_t frames;
  std::vector<float> x, harmonics;
};

class GeneratorDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string file = test::SpeechFiles().kokoro.generator;
    TRUNKLINE_NEED_FILE(file);
    TRUNKLINE_NEED_FILE(test::ModelFile(kForm));
    static const auto weights = [&] {
      auto loaded = LoadGenerator(file, BestGeneratorKernels());
      EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
      return std::shared_ptr<const GeneratorWeights>(std::move(loaded).value());
    }();
    static const auto device = OpenDevice(*weights);
    weights_ = weights;
    device_ = device;
    given_.resize(weights_->statistics);
    // Means near nought and variances near one, in the order in which the layers have them.
    for (size_t i = 0; i < given_.size(); ++i)
      given_[i] = static_cast<float>(1 + 0.2 * std::sin(static_cast<double>(i)));
  }

  static std::shared_ptr<GeneratorDevice> OpenDevice(const GeneratorWeights& weights) {
    auto runtime = onnx::Runtime::Load({test::InferenceLibrary(), 1});
    EXPECT_TRUE(runtime.ok()) << runtime.status().ToString();
    GeneratorDeviceSettings settings;
    settings.scheduler.gather_nanos = 200 * base::kNanosPerMilli;  // A run waits until all of them are there.
    auto device = GeneratorDevice::Open(test::ModelOpener(*runtime), kForm, weights, settings);
    EXPECT_TRUE(device.ok()) << device.status().ToString();
    return device.ok() ? *device : nullptr;
  }

  std::unique_ptr<GeneratorDeviceStream> There() const {
    return std::make_unique<GeneratorDeviceStream>(device_, weights_, style_, given_);
  }

  static GeneratorFrames Frames(const Clause& clause, size_t begin, size_t end) {
    return {clause.x, clause.harmonics, clause.frames, begin, end};
  }

  std::vector<float> OnProcessor(const Clause& clause) const {
    GeneratorStream stream(weights_, {style_, clause.x, clause.harmonics, clause.frames, 0, given_});
    std::vector<float> out;
    while (!stream.done()) EXPECT_TRUE(stream.Step(64, nullptr, out).ok());
    return out;
  }

  // Makes the clauses' windows together, one after another of each.
  std::vector<std::vector<float>> Together(const std::vector<Clause>& clauses) const {
    std::vector<std::unique_ptr<GeneratorDeviceStream>> streams;
    std::vector<std::vector<float>> made(clauses.size());
    for (const Clause& clause : clauses) {
      streams.push_back(There());
      streams.back()->Append(Frames(clause, 0, clause.frames), true);
    }
    for (;;) {
      std::counting_semaphore<> done{0};
      size_t begun = 0;
      for (auto& stream : streams) {
        if (stream == nullptr) continue;
        if (stream->done()) {
          stream.reset();  // nobody waits for it any more
          continue;
        }
        stream->Begin();
        ++begun;
      }
      if (begun == 0) return made;
      for (auto& stream : streams) {
        if (stream != nullptr) stream->Submit(kPatient, [&] { done.release(); });
      }
      for (size_t i = 0; i < begun; ++i) done.acquire();
      for (size_t i = 0; i < streams.size(); ++i) {
        if (streams[i] != nullptr) {
          EXPECT_TRUE(streams[i]->Collect(made[i]).ok());
        }
      }
    }
  }

  static constexpr onnx::DeviceWork::Urgency kPatient = {true, 600'000 * base::kNanosPerMilli};
  std::shared_ptr<const GeneratorWeights> weights_;
  std::shared_ptr<GeneratorDevice> device_;
  std::vector<float> given_;
  const std::vector<float> style_ = Waves(1, 256, 0.2, 0, 0.7);
};

TEST_F(GeneratorDeviceTest, AClauseSoundsAsOnTheProcessor) {
  // The clauses are as long as a window, as several windows, and shorter than the context of one.
  for (const size_t frames : {48, 150, 9}) {
    const Clause clause(frames);
    const auto expected = OnProcessor(clause);
    const auto made = Together({clause}).front();
    ASSERT_EQ(made.size(), expected.size()) << frames;
    EXPECT_GT(AgreementDb(made, expected), 30) << frames;
  }
}

TEST_F(GeneratorDeviceTest, ClausesTogetherAreWhatEachIsAlone) {
  const std::vector<Clause> clauses = {Clause(130, 1), Clause(90, 2), Clause(20, 3)};
  const uint64_t before = device_->stats().batches, works = device_->stats().works;
  const auto together = Together(clauses);
  const onnx::DeviceStats after = device_->stats();
  // The short windows of two clauses, the only one of another, and what is left of the longest.
  EXPECT_EQ(after.batches - before, 4u);
  EXPECT_EQ(after.works - works, 5u);
  for (size_t i = 0; i < clauses.size(); ++i) {
    const auto alone = Together({clauses[i]}).front();
    ASSERT_EQ(together[i].size(), alone.size());
    EXPECT_GT(AgreementDb(together[i], alone), 50) << i;
  }
}

TEST_F(GeneratorDeviceTest, FramesThatComeInPiecesSoundAsOnTheProcessor) {
  const Clause clause(110, 4);
  const auto stream = There();
  std::vector<float> made;
  for (size_t begin = 0; begin < clause.frames; begin += 40) {
    const size_t end = std::min(begin + 40, clause.frames);
    stream->Append(Frames(clause, begin, end), end == clause.frames);
    while (!stream->done() && stream->Has(8)) {
      stream->Begin();
      std::binary_semaphore done{0};
      stream->Submit(kPatient, [&] { done.release(); });
      done.acquire();
      ASSERT_TRUE(stream->Collect(made).ok());
    }
  }
  const auto expected = OnProcessor(clause);
  ASSERT_EQ(made.size(), expected.size());
  EXPECT_GT(AgreementDb(made, expected), 30);
}

TEST_F(GeneratorDeviceTest, TheProcessorContinuesAClauseAtAnyFrame) {
  const Clause clause(100, 5);
  const auto stream = There();
  stream->Append(Frames(clause, 0, 70), false);
  std::vector<float> made;
  stream->Begin();
  std::binary_semaphore done{0};
  stream->Submit(kPatient, [&] { done.release(); });
  done.acquire();
  ASSERT_TRUE(stream->Collect(made).ok());
  ASSERT_FALSE(made.empty());
  const auto rest = stream->Continue(style_);
  rest.stream->Append(Frames(clause, 70, 100), true);
  std::vector<float> there;
  while (!rest.stream->done()) ASSERT_TRUE(rest.stream->Step(64, nullptr, there).ok());
  made.insert(made.end(), there.begin() + static_cast<ptrdiff_t>(rest.skip * 300), there.end());
  const auto expected = OnProcessor(clause);
  ASSERT_EQ(made.size(), expected.size());
  EXPECT_GT(AgreementDb(made, expected), 30);
}

TEST_F(GeneratorDeviceTest, AFormOfOtherWeightsIsRefused) {
  GeneratorWeights other;
  other.statistics = weights_->statistics + 1;
  auto runtime = onnx::Runtime::Load({test::InferenceLibrary(), 1});
  ASSERT_TRUE(runtime.ok());
  const auto device = GeneratorDevice::Open(test::ModelOpener(*runtime), kForm, other, {});
  EXPECT_EQ(device.status().code(), base::Code::kBadModel);
}

}  // namespace
}  // namespace trunkline::tts
