// An agent whose voice is generated on a GPU, with the real form on a device that is the processor.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

#include "test/support/omni_call.h"
#include "test/support/simulated_cuda.h"

namespace trunkline::omni {
namespace {

using test::OmniScene;

class OmniOnGpuTest : public test::OmniCall {
 protected:
  void SetUp() override {
    OmniCall::SetUp();
    TRUNKLINE_NEED_FILE(test::ModelFile("kokoro-gpu/generator.onnx"));
  }

  std::unique_ptr<OmniScene> Call(bool on_gpu) const {
    auto scene = std::make_unique<OmniScene>(nullptr, "", true, "", on_gpu ? cuda_.library() : "");
    scene->Configure(kOmniVoice, [](engine::OptionsBuilder& options) {
      options.Text("model", "kokoro").Text("language", "en").Text("accent", "en-us");
      options.List("styles", {"af_heart:1"});
    });
    return scene;
  }

  static onnx::PlacementReport Placed(OmniScene& scene) {
    for (const auto& report : scene.engine().services().placements()) {
      if (report.name == "kokoro-gpu/generator.onnx") return report;
    }
    return {};
  }

  // The sound from the first moment that is loud to the last one, in seconds.
  static double Seconds(const OmniScene& scene) {
    const auto loud = [](float sample) { return std::abs(sample) > 0.02F; };
    const auto& sound = scene.sounded();
    const auto first = std::find_if(sound.begin(), sound.end(), loud);
    const auto last = std::find_if(sound.rbegin(), sound.rend(), loud).base();
    return first >= last ? 0 : static_cast<double>(last - first) / OmniScene::kRate;
  }

  const test::SimulatedCuda cuda_{"omni"};
};

constexpr char kAnswer[] =
    "The next train to the harbour leaves at a quarter past nine, and then every hour.";

TEST_F(OmniOnGpuTest, TheAgentSpeaksAsOnTheProcessorAndNoCallEndsWhenTheDeviceFails) {
  const auto processor = Call(false);
  processor->Speak(1, kAnswer);
  processor->Still(9);
  const double expected = Seconds(*processor);
  ASSERT_GT(expected, 3);

  const auto call = Call(true);
  ASSERT_EQ(Placed(*call).device, onnx::Device::kCuda);
  call->Speak(1, kAnswer);
  call->Still(9);
  EXPECT_NEAR(Seconds(*call), expected, 0.05);
  EXPECT_EQ(Placed(*call).device, onnx::Device::kCuda);

  const auto failing = Call(true);
  failing->Speak(1, kAnswer);
  ASSERT_TRUE(failing->Until(kOmniPlaying, 5));
  cuda_.Fail("run CUDA error 700: an illegal memory access was encountered");
  failing->Still(9);
  EXPECT_NEAR(Seconds(*failing), expected, 0.05);
  EXPECT_TRUE(Placed(*failing).failed);
  EXPECT_TRUE(failing->Of(engine::kClosedEvent).empty());
}

TEST_F(OmniOnGpuTest, LongFormACallCountsAsWhatTheProcessorDoesOfIt) {
  const auto processor = Call(false), call = Call(true);
  const uint32_t whole = processor->engine().stats().used, part = call->engine().stats().used;
  EXPECT_LT(part, whole);
  EXPECT_GE(part, 60u);
  call->Speak(1, kAnswer);
  ASSERT_TRUE(call->Until(kOmniPlaying, 5));
  cuda_.Fail("run CUDA error 700: an illegal memory access was encountered");
  call->Still(3);
  EXPECT_TRUE(Placed(*call).failed);
  EXPECT_EQ(call->engine().stats().used, whole) << "the processor generates the speech of the open call";
}

TEST_F(OmniOnGpuTest, LongFormAFullDeviceRefusesACallBeforeOneThatSpeaksSuffers) {
  const auto call = Call(true);
  const auto open = [&](bool resumed) {
    engine::OptionsBuilder options;
    options.Number("rate", OmniScene::kRate).Text("language", "en").Text("model", "kokoro");
    options.Text("accent", "en-us").List("styles", {"af_heart:1"});
    if (resumed) options.Number("resumed", 1);
    const auto opened = call->engine().Open("omni", options.packed());
    if (opened.ok()) call->engine().Close(*opened, false);
    return opened.status();
  };
  call->Speak(1, kAnswer);
  ASSERT_TRUE(call->Until(kOmniPlaying, 5));
  const int ticks = call->inference_ticks;
  // The pool's thread runs into the device, which does not return for a while.
  cuda_.Fail("hang");
  call->inference_ticks = 1 << 30;
  std::atomic<bool> ends{false};
  std::thread pool([&] {
    while (!ends) {
      if (!call->engine().RunTask()) std::this_thread::yield();
    }
  });
  base::Status refused;
  for (int i = 0; i < 1000 && refused.ok(); ++i) {
    call->Still(0.02);
    refused = open(false);
  }
  EXPECT_EQ(refused.code(), base::Code::kCapacity);
  EXPECT_NE(refused.message().find("GPU"), std::string::npos);
  EXPECT_TRUE(open(true).ok()) << "a call that another node began is served";
  cuda_.Recover();
  ends = true;
  pool.join();
  call->inference_ticks = ticks;
  call->Still(9);
  EXPECT_EQ(Placed(*call).device, onnx::Device::kCuda);
  EXPECT_TRUE(open(false).ok());
}

}  // namespace
}  // namespace trunkline::omni
