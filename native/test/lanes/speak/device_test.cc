// Speech whose generator runs on a GPU, with the real form on a device that is the processor.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <thread>

#include "engine/engine.h"
#include "lanes/speak/synthesize_job.h"
#include "test/support/drained.h"
#include "test/support/simulated_cuda.h"
#include "test/support/speech_engine.h"

namespace trunkline::speak {
namespace {

constexpr char kForm[] = "kokoro-gpu/generator.onnx";
// Two clauses: the device has work left when the first audio is there.
constexpr std::string_view kText =
    "The next train to the harbour leaves at a quarter past nine. It stops at the old bridge.";

class SpeakOnGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::ModelFile(kForm));
    engine_ = Open(true);
  }

  std::unique_ptr<engine::Engine> Open(bool on_gpu) {
    engine::EngineConfig config;
    config.jobs = 4;
    test::ConfigureSpeech(config);
    if (IsSkipped() || HasFatalFailure()) return nullptr;
    if (on_gpu) {
      config.library = cuda_.library();
      config.models[kForm] = test::ModelFile(kForm);
    }
    engine::Kinds kinds;
    kinds.AddJob(MakeSynthesizeKind());
    auto engine = std::make_unique<engine::Engine>(config, std::move(kinds), nullptr);
    while (engine->RunTask()) {
    }
    test::DrainAll(*engine);
    return engine;
  }

  static onnx::PlacementReport Placed(engine::Engine& engine) {
    for (const auto& report : engine.services().placements()) {
      if (report.name == kForm) return report;
    }
    return {};
  }

  static uint32_t Begin(engine::Engine& engine) {
    engine::OptionsBuilder options;
    options.Text("model", "kokoro").Text("language", "en").Text("accent", "en-us");
    options.List("styles", {"af_heart:1"}).Text("format", "pcm16").Number("rate", 24000);
    const auto job = engine.Submit("synthesize", options.packed(), {kText.begin(), kText.end()});
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    return job.ok() ? *job : 0;
  }

  static void Take(engine::Engine& engine, uint32_t job, std::vector<float>& out) {
    engine::Chunk chunk;
    while (engine.Take(job, chunk)) {
      for (size_t at = 0; at + 1 < chunk.size(); at += 2) {
        int16_t sample;
        std::memcpy(&sample, chunk.data() + at, 2);
        out.push_back(static_cast<float>(sample) / 32768);
      }
    }
  }

  // Runs the jobs until all have ended. `after` is called when the first one has audio.
  static std::vector<std::vector<float>> Speak(engine::Engine& engine, size_t count,
                                               const std::function<void()>& after = nullptr) {
    std::vector<uint32_t> jobs;
    for (size_t i = 0; i < count; ++i) jobs.push_back(Begin(engine));
    std::vector<std::vector<float>> out(count);
    auto pending = after;
    for (size_t ended = 0; ended < count;) {
      // A step may wait for the device, which has a thread of its own.
      if (!engine.RunTask()) std::this_thread::yield();
      for (size_t i = 0; i < count; ++i) Take(engine, jobs[i], out[i]);
      if (pending && !out.front().empty()) std::exchange(pending, nullptr)();
      for (const auto& record : test::DrainAll(engine)) {
        if (record.type != engine::kJobEndEvent) continue;
        EXPECT_EQ(record.code(), base::Code::kOk);
        ++ended;
      }
    }
    for (size_t i = 0; i < count; ++i) Take(engine, jobs[i], out[i]);
    return out;
  }

  static double AgreementDb(std::span<const float> made, std::span<const float> reference) {
    double power = 0, error = 1e-30;
    for (size_t i = 0; i < reference.size(); ++i) {
      power += static_cast<double>(reference[i]) * reference[i];
      error += std::pow(static_cast<double>(made[i]) - static_cast<double>(reference[i]), 2);
    }
    return 10 * std::log10(power / error);
  }

  const test::SimulatedCuda cuda_{"speech"};
  std::unique_ptr<engine::Engine> engine_;
};

TEST_F(SpeakOnGpuTest, SpeechIsTheProcessorsAndGoesOnWhenTheDeviceFails) {
  ASSERT_EQ(Placed(*engine_).device, onnx::Device::kCuda);
  const auto processor = Open(false);
  ASSERT_NE(processor, nullptr);
  ASSERT_TRUE(Placed(*processor).name.empty());
  const auto expected = Speak(*processor, 1).front();

  for (const auto& made : Speak(*engine_, 2)) {
    ASSERT_EQ(made.size(), expected.size());
    EXPECT_GT(AgreementDb(made, expected), 20);
    EXPECT_LT(AgreementDb(made, expected), 60) << "the processor made this";
  }
  ASSERT_EQ(Placed(*engine_).device, onnx::Device::kCuda);

  const auto made =
      Speak(*engine_, 1, [&] { cuda_.Fail("run CUDA error 700: an illegal memory access was encountered"); });
  ASSERT_EQ(made.front().size(), expected.size());
  EXPECT_GT(AgreementDb(made.front(), expected), 20);
  EXPECT_TRUE(Placed(*engine_).failed);
  EXPECT_NE(Placed(*engine_).reason.find("CUDA error 700"), std::string::npos);
  // The processor makes the next speech whole.
  ASSERT_EQ(Speak(*engine_, 1).front(), expected);
}

TEST_F(SpeakOnGpuTest, LongFormAFormThatDoesNotOpenThereLeavesSpeechOnTheProcessor) {
  engine_.reset();
  cuda_.Fail("open libcudnn.so.9: cannot open shared object file");
  engine_ = Open(true);
  ASSERT_NE(engine_, nullptr);
  EXPECT_TRUE(Placed(*engine_).failed);
  EXPECT_NE(Placed(*engine_).reason.find("libcudnn.so.9"), std::string::npos);
  EXPECT_FALSE(Speak(*engine_, 1).front().empty());
}

}  // namespace
}  // namespace trunkline::speak
