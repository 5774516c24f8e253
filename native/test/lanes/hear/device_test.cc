// A device that fails under a call.
#include <gtest/gtest.h>

#include "test/lanes/hear/lane_scene.h"
#include "test/support/simulated_cuda.h"

namespace trunkline::hear {
namespace {

class HearDeviceTest : public HearLaneTest {
 protected:
  void SetUp() override {
    engine::Kinds kinds;
    kinds.AddLane(kind_);
    engine::EngineConfig config;
    config.library = cuda_.library();
    config.device = onnx::Device::kCuda;
    config.cuda_capacity = 400000;
    Make(std::move(kinds), config);
  }

  void SayOnAll(const std::vector<engine::LaneId>& lanes, const std::vector<float>& samples) {
    std::vector<int16_t> pcm(320);
    for (size_t at = 0; at + pcm.size() <= samples.size(); at += pcm.size()) {
      for (size_t i = 0; i < pcm.size(); ++i) {
        pcm[i] = static_cast<int16_t>(std::lround(std::clamp(samples[at + i], -1.0f, 1.0f) * 32767));
      }
      for (const engine::LaneId lane : lanes) {
        ASSERT_EQ(engine_->Push(lane, base::AsBytes(std::span<const int16_t>(pcm))), Code::kOk);
      }
      Tick();
      Tick();
    }
  }

  const test::SimulatedCuda cuda_{"hear"};
};

TEST_F(HearDeviceTest, NoCallEndsWhenTheDeviceFails) {
  TRUNKLINE_NEED_SPEECH();
  ASSERT_EQ(engine_->services().device(), onnx::Device::kCuda);
  EXPECT_EQ(engine_->stats().capacity, 400000u);
  engine::OptionsBuilder options;
  const engine::LaneId lane = Open(options.Text("language", "en").Number("endpointing_ms", 500));
  std::string text;
  const auto clip = Clip(1, text);
  const auto half = static_cast<ptrdiff_t>(clip.size() / 2);
  Say(lane, std::vector<float>(clip.begin(), clip.begin() + half), 16000);
  cuda_.Fail("run CUDA error 46: all CUDA-capable devices are busy or unavailable");
  Say(lane, std::vector<float>(clip.begin() + half, clip.end()), 16000);
  Quiet(lane, 2, 16000);
  EXPECT_TRUE(closed_.empty());
  EXPECT_EQ(engine_->services().device(), onnx::Device::kCpu);
  EXPECT_EQ(engine_->stats().capacity, 100000u)
      << "no further call is admitted that only the device could carry";
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_NE(placed_[0].find("CUDA error 46"), std::string::npos);
  Close(lane);
  CheckOrder();
  EXPECT_LT(test::ErrorRate(text, FinalText()), 0.3);
}

// Three calls whose speakers pause in the same tick.
TEST_F(HearDeviceTest, EndsOfTurnsOfSeveralCallsGoIntoOneRun) {
  TRUNKLINE_NEED_SPEECH();
  std::string text;
  const auto clip = Clip(1, text);
  std::vector<std::string> heard;
  for (const size_t calls : {1, 3}) {
    events_.clear();
    closed_.clear();
    const uint64_t before = engine_->stats().pool.batches;
    std::vector<engine::LaneId> lanes;
    for (size_t i = 0; i < calls; ++i) {
      engine::OptionsBuilder options;
      lanes.push_back(Open(options.Text("language", "en").Number("partials", 0)));
    }
    SayOnAll(lanes, clip);
    SayOnAll(lanes, std::vector<float>(16000 * 2, 0.0f));
    EXPECT_GT(engine_->stats().pool.batches, before);
    const auto finals = Of(kHearFinal);
    ASSERT_EQ(finals.size() % calls, 0u);
    for (const Event& final : finals) heard.push_back(std::to_string(final.end) + final.text);
    const auto ends = Of(kHearSpeechFinal);
    for (size_t i = 1; i < calls; ++i) EXPECT_EQ(ends[i].end, ends[0].end);
    for (const engine::LaneId lane : lanes) engine_->Close(lane, true);
    for (int i = 0; i < 100 && closed_.size() < calls; ++i) Tick();
    ASSERT_EQ(closed_.size(), calls);
  }
  // Alone or beside others: the same words, and the same ends.
  for (const std::string& one : heard) {
    EXPECT_EQ(std::count(heard.begin(), heard.end(), one), 4) << one;
  }
}

}  // namespace
}  // namespace trunkline::hear
