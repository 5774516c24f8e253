// Voices that are fitted one after another, each on a thread of its own as a pool's threads would: what a fit
// holds is bounded, and given back.

#include "lanes/speak/fit_voice_job.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "engine/engine.h"
#include "engine/records.h"
#include "lanes/speak/synthesize_job.h"
#include "test/support/drained.h"
#include "test/support/files.h"
#include "test/support/speech.h"
#include "test/support/speech_engine.h"

namespace trunkline::speak {
namespace {

constexpr double kMb = 1 << 20;

// A line of /proc/self/status, in bytes: VmRSS is what is resident, VmHWM the most that ever was.
double Status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word) {
    if (word != name + ":") continue;
    double kilobytes = 0;
    file >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

// Resets VmHWM to the present use.
void ForgetPeak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

class FitVoiceJobTest : public testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::Recording("ljspeech/LJ001-0001.wav"));
    engine::EngineConfig config;
    config.jobs = 16;
    test::ConfigureSpeech(config, {"silero-vad/silero_vad.onnx", "speaker-vector/embedder.onnx"});
    if (IsSkipped() || HasFatalFailure()) return;
    clock_->Advance(base::kNanosPerMilli);
    engine::Kinds kinds;
    kinds.AddJob(MakeFitVoiceKind());
    kinds.AddJob(MakeSynthesizeKind());
    engine_ = std::make_unique<engine::Engine>(config, std::move(kinds), nullptr, clock_);
    Work();
    test::DrainAll(*engine_);
  }

  void Work() {
    std::thread([this] {
      while (engine_->RunTask()) {
      }
    }).join();
  }

  base::Result<uint32_t> Submit(std::initializer_list<std::string_view> styles = {"af_heart"}) {
    const auto samples = test::Resampled(test::ReadWav(test::Recording("ljspeech/LJ001-0001.wav")), 16000);
    std::vector<uint8_t> pcm(samples.size() * 2);
    for (size_t i = 0; i < samples.size(); ++i) {
      const auto value = static_cast<int16_t>(std::clamp(samples[i], -1.0F, 1.0F) * 32767);
      std::memcpy(&pcm[i * 2], &value, 2);
    }
    engine::OptionsBuilder options;
    options.Text("model", "kokoro").Text("language", "en").Text("accent", "en-us");
    options.List("styles", styles).Text("format", "pcm16").Number("rate", 24000);
    return engine_->Submit("fit_voice", options.packed(), std::move(pcm));
  }

  std::string Fit() {
    const auto job = Submit();
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    if (!job.ok()) return "";
    Work();
    std::string text;
    engine::Chunk chunk;
    while (engine_->Take(*job, chunk)) text.append(chunk.begin(), chunk.end());
    test::DrainAll(*engine_);
    return text;
  }

  // How many steps, of whatever job, pass until a line of a cast is spoken, on a machine where each takes a second.
  int StepsToSpeak() {
    const std::string text = "Is anybody there?";
    engine::OptionsBuilder options;
    options.Text("model", "kokoro").Text("language", "en").Text("accent", "en-us").Number("offline", 1);
    options.List("styles", {"af_heart:1"}).Text("format", "pcm16").Number("rate", 24000);
    const auto job = engine_->Submit("synthesize", options.packed(), {text.begin(), text.end()});
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    int steps = 0;
    for (bool ended = false; job.ok() && !ended && engine_->RunTask(); ++steps) {
      clock_->Advance(1000 * base::kNanosPerMilli);
      for (const test::Record& record : test::DrainAll(*engine_))
        ended |= record.type == engine::kJobEndEvent;
    }
    return steps;
  }

  const std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::unique_ptr<engine::Engine> engine_;
};

TEST_F(FitVoiceJobTest, LongFormFitsAreGivenBackAndHoldLittle) {
  const std::string first = Fit();
  EXPECT_TRUE(first.starts_with("verdict good\n")) << first;
  const double before = Status("VmRSS");
  ForgetPeak();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Fit(), first);
    std::printf("fit %d: %.0f MB resident, %.0f at most\n", i + 2, Status("VmRSS") / kMb,
                Status("VmHWM") / kMb);
  }
  EXPECT_LT(Status("VmRSS") - before, 48 * kMb) << "of three fits, besides " << before / kMb << " MB";
  EXPECT_LT(Status("VmHWM") - before, 128 * kMb);
}

TEST_F(FitVoiceJobTest, WhatFitsMayHoldIsCountedAndMoreAreRefused) {
  std::vector<uint32_t> jobs;
  for (int i = 0; i < 8; ++i) {
    const auto job = Submit();
    ASSERT_TRUE(job.ok()) << job.status().ToString();
    jobs.push_back(*job);
    EXPECT_EQ(engine_->stats().memory.jobs, (jobs.size() << 27));
  }
  EXPECT_EQ(Submit().status().code(), base::Code::kCapacity);
  for (const uint32_t job : jobs) engine_->Cancel(job);
  Work();
  test::DrainAll(*engine_);
  EXPECT_EQ(engine_->stats().memory.jobs, 0u);
  EXPECT_TRUE(Submit().ok());
}

TEST_F(FitVoiceJobTest, LetsALineBeSpokenStepByStep) {
  const int alone = StepsToSpeak();
  ASSERT_GT(alone, 1);
  std::vector<uint32_t> fits;
  for (int i = 0; i < 3; ++i) {
    const auto fit = Submit({"af_heart", "af_bella", "af_nicole", "af_sarah", "af_sky", "af_nova"});
    ASSERT_TRUE(fit.ok()) << fit.status().ToString();
    fits.push_back(*fit);
  }
  EXPECT_LE(StepsToSpeak(), 4 * alone) << "four take turns; alone it takes " << alone;
  for (const uint32_t fit : fits) engine_->Cancel(fit);
  Work();
  test::DrainAll(*engine_);
}

}  // namespace
}  // namespace trunkline::speak
