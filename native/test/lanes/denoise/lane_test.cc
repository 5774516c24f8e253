// @requirement Call quality: Noise suppression for the people who listen keeps the voice and its time.
// The lane of a listener: noise as it comes by a wire, and what is given out of it.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "dsp/dsp.h"
#include "engine/engine.h"
#include "lanes/denoise/denoise.h"
#include "test/support/drained.h"
#include "test/support/files.h"
#include "test/support/own_allocations.h"

namespace trunkline::denoise {
namespace {

using Samples = std::vector<int16_t>;

engine::EngineConfig Config() {
  engine::EngineConfig config;
  config.slots = 2;
  config.capacity = 1000;
  config.media_threads = 0;
  config.inference_threads = 0;
  config.library = test::InferenceLibrary();
  for (const char* name : {enhance::Dtln::kMaskModel, enhance::Dtln::kWaveModel}) {
    config.models[name] = test::ModelFile(name);
  }
  return config;
}

class DenoiseLaneTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TRUNKLINE_NEED_FILE(test::InferenceLibrary());
    TRUNKLINE_NEED_FILE(test::ModelFile(enhance::Dtln::kMaskModel));
    Start(Config());
  }

  void Start(const engine::EngineConfig& config) {
    engine::Kinds kinds;
    kinds.AddLane(MakeDenoiseKind());
    engine_ = std::make_unique<engine::Engine>(config, std::move(kinds), nullptr, clock_);
    Infer();
    (void)test::DrainAll(*engine_);
  }

  void Infer() {
    while (engine_->RunTask()) {
    }
  }

  base::Result<engine::LaneId> Open(int rate, const char* codec) {
    return engine_->Open("denoise",
                         engine::OptionsBuilder().Number("rate", rate).Text("codec", codec).packed());
  }

  // Lets 10 ms pass, and everything that was ordered be computed; appends the audio that came.
  void Pass(std::vector<std::string>& audio) {
    clock_->Advance(engine::kTickNanos);
    engine_->Tick();
    Infer();
    for (const test::Record& record : test::DrainAll(*engine_)) {
      if (record.type == engine::kAudioEvent) audio.push_back(record.bytes);
      if (record.type == engine::kClosedEvent) closed_ = record.code();
    }
  }

  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>();
  std::unique_ptr<engine::Engine> engine_;
  std::optional<base::Code> closed_;
};

Samples Noise(size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0, 1000);
  Samples samples(count);
  for (int16_t& sample : samples) sample = static_cast<int16_t>(normal(random));
  return samples;
}

double LevelOf(std::span<const int16_t> samples) {
  double sum = 0;
  for (const int16_t sample : samples) sum += static_cast<double>(sample) * sample;
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

TEST_F(DenoiseLaneTest, GivesFramesOfTheSameCodecWithinSeventyMilliseconds) {
  for (const bool ulaw : {true, false}) {
    const int rate = ulaw ? 8000 : 16000;
    const auto frame = static_cast<size_t>(rate / 50);
    const auto lane = Open(rate, ulaw ? "ulaw" : "pcm16");
    ASSERT_TRUE(lane.ok()) << lane.status().message();
    closed_.reset();
    const Samples noise = Noise(static_cast<size_t>(2 * rate));
    std::vector<std::string> frames;
    for (size_t at = 0; at < noise.size(); at += frame) {
      const auto samples = std::span(noise).subspan(at, frame);
      std::vector<uint8_t> coded(frame);
      dsp::EncodeUlaw(samples, coded);
      EXPECT_EQ(engine_->Push(*lane, ulaw ? base::ByteView(coded) : base::AsBytes(samples)), base::Code::kOk);
      Pass(frames);
      Pass(frames);
      // The frame that was pushed last has been there for 20 ms.
      EXPECT_GE(frames.size() + 3, at / frame + 1);
    }
    engine_->Close(*lane, true);
    for (int tick = 0; tick < 4; ++tick) Pass(frames);
    EXPECT_EQ(closed_, base::Code::kOk);
    Samples heard;
    for (const std::string& bytes : frames) {
      EXPECT_EQ(bytes.size(), frame * (ulaw ? 1 : 2));
      Samples samples(frame);
      if (ulaw)
        dsp::DecodeUlaw(base::AsBytes(bytes), samples);
      else
        dsp::FromWire(base::AsBytes(bytes), samples);
      heard.insert(heard.end(), samples.begin(), samples.end());
    }
    ASSERT_EQ(heard.size(), noise.size());
    const auto half = noise.size() / 2;
    EXPECT_LT(LevelOf(std::span(heard).subspan(half)), LevelOf(noise) / 4) << "a quarter is 12 dB";
  }
}

TEST_F(DenoiseLaneTest, TakesNoMoreThanItCanHoldAndLosesNothingOfIt) {
  const auto lane = Open(8000, "pcm16");
  ASSERT_TRUE(lane.ok());
  const Samples second = Noise(8000);
  size_t taken = 0;
  // Nobody reads, and nothing is computed.
  while (taken < 60 &&
         engine_->Push(*lane, base::AsBytes(std::span<const int16_t>(second))) == base::Code::kOk) {
    ++taken;
    clock_->Advance(engine::kTickNanos);
    engine_->Tick();
  }
  EXPECT_LT(taken, 10u);
  engine_->Close(*lane, true);
  std::vector<std::string> frames;
  for (int tick = 0; tick < 200 && !closed_; ++tick) Pass(frames);
  size_t bytes = 0;
  for (const std::string& frame : frames) bytes += frame.size();
  EXPECT_EQ(closed_, base::Code::kOk);
  EXPECT_EQ(bytes, 2 * 8000 * taken);
}

TEST_F(DenoiseLaneTest, AllocatesNothingOnTheMediaThreadFromItsFirstFrameOn) {
  for (const char* codec : {"ulaw", "pcm16"}) {
    const auto lane = Open(8000, codec);
    ASSERT_TRUE(lane.ok());
    const Samples noise = Noise(8000);
    const std::span<const int16_t> frame(noise.data(), 160);
    uint64_t allocated = 0;
    size_t frames = 0;
    for (int tick = 0; tick < 100; ++tick) {
      // A second at once comes in between, as of a connection that was held up.
      const auto samples = tick == 50 ? std::span<const int16_t>(noise) : frame;
      ASSERT_EQ(engine_->Push(*lane, base::AsBytes(samples)), base::Code::kOk);
      clock_->Advance(engine::kTickNanos);
      allocated += test::OwnAllocations([&] { engine_->Tick(); });
      Infer();
      for (const auto& record : test::DrainAll(*engine_)) frames += record.type == engine::kAudioEvent;
    }
    EXPECT_EQ(allocated, 0u) << codec;
    EXPECT_GT(frames, 50u) << codec;
  }
}

TEST_F(DenoiseLaneTest, IsNotReadyWithoutItsModel) {
  engine::EngineConfig config = Config();
  config.models.erase(enhance::Dtln::kWaveModel);
  Start(config);
  EXPECT_EQ(Open(8000, "pcm16").status().code(), base::Code::kNotReady);
}

}  // namespace
}  // namespace trunkline::denoise
