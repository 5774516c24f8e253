// @requirement Recordings: An agent's recordings have the caller without the line's noise where it asks for that.
// A call by the whole lane, recorded with the caller's noise and without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dsp/dsp.h"
#include "test/support/omni_scene.h"
#include "test/support/own_path.h"

namespace trunkline::omni {
namespace {

using test::OmniScene;
using Samples = std::vector<int16_t>;

struct Sides {
  Samples caller, agent;
};

constexpr size_t kSecond = OmniScene::kRate;

std::vector<float> Noise(double seconds) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal(0, 0.03F);
  std::vector<float> samples(static_cast<size_t>(seconds * OmniScene::kRate));
  for (float& sample : samples) sample = normal(random);
  return samples;
}

enum class End { kClosed, kDropped };

// The caller's line is noise throughout; the recording pauses for the second second, and the agent speaks after it.
Sides Recorded(bool denoises, End end) {
  const std::string path = test::OwnPath("denoised");
  std::filesystem::remove(path);
  {
    OmniScene scene([&](engine::OptionsBuilder& options) {
      options.Text("recording", path).Number("denoise_recording", denoises ? 1 : 0);
    });
    scene.Raw(kOmniRecord, {});
    scene.Say(Noise(2));
    scene.Raw(kOmniPauseRecording, {});
    scene.Say(Noise(1));
    scene.Raw(kOmniRecord, {});
    scene.Speak(1, "Good morning.");
    scene.Say(Noise(2.33));
    scene.Close(end == End::kClosed);
    if (end == End::kClosed) {
      // No pool thread runs.
      const int ticks = std::exchange(scene.inference_ticks, 1'000'000);
      scene.Still(0.05);
      EXPECT_TRUE(scene.Of(engine::kClosedEvent).empty()) << "a pool thread writes the rest";
      scene.inference_ticks = ticks;
    }
    scene.Still(0.5);
    EXPECT_EQ(scene.Of(engine::kClosedEvent).size(), 1u);
  }
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Samples both;
  dsp::FromWire(base::AsBytes(bytes).subspan(44), both);
  Sides sides;
  for (size_t i = 0; i + 1 < both.size(); i += 2) {
    sides.caller.push_back(both[i]);
    sides.agent.push_back(both[i + 1]);
  }
  std::filesystem::remove(path);
  return sides;
}

double LevelOf(std::span<const int16_t> samples) {
  double sum = 0;
  for (const int16_t sample : samples) sum += static_cast<double>(sample) * sample;
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

std::span<const int16_t> EndOf(const Sides& sides) {
  return std::span(sides.caller).last(kSecond / 10);
}

TEST(DenoisedRecording, HasLessNoiseAndTheSameAgentAtTheSameTime) {
  TRUNKLINE_NEED_FILE(test::ModelFile("denoiser/mask.onnx"));
  const Sides noisy = Recorded(false, End::kClosed), clean = Recorded(true, End::kClosed);
  ASSERT_GT(noisy.caller.size(), 5 * kSecond);
  ASSERT_EQ(clean.caller.size(), noisy.caller.size());
  EXPECT_EQ(clean.agent, noisy.agent);
  EXPECT_GT(LevelOf(noisy.agent), 0);
  const auto second_of = [](const Samples& samples, size_t at) {
    return std::span(samples).subspan(at * kSecond + kSecond / 10, kSecond * 8 / 10);
  };
  EXPECT_LT(LevelOf(second_of(clean.caller, 1)), LevelOf(second_of(noisy.caller, 1)) / 10) << "20 dB less";
  EXPECT_LT(LevelOf(second_of(clean.caller, 4)), LevelOf(second_of(noisy.caller, 4)) / 10);
  EXPECT_EQ(LevelOf(second_of(clean.caller, 2)), 0) << "a pause has nothing of the call";
  EXPECT_LT(LevelOf(EndOf(clean)), LevelOf(EndOf(noisy)) / 10) << "its end too";
}

// The thread that destroys a lane serves every call, so what a dropped lane has not written passes with its noise.
TEST(DenoisedRecording, OfALaneThatIsDroppedEndsWithTheNoise) {
  TRUNKLINE_NEED_FILE(test::ModelFile("denoiser/mask.onnx"));
  const Sides noisy = Recorded(false, End::kDropped), clean = Recorded(true, End::kDropped);
  ASSERT_EQ(clean.caller.size(), noisy.caller.size());
  EXPECT_EQ(clean.agent, noisy.agent);
  EXPECT_TRUE(std::ranges::equal(EndOf(clean), EndOf(noisy)));
  const auto early = [](const Sides& sides) { return std::span(sides.caller).subspan(kSecond, kSecond / 2); };
  EXPECT_LT(LevelOf(early(clean)), LevelOf(early(noisy)) / 10);
}

// The lane holds a thousand texts; the next waits for the end of the first.
TEST(RecordedLane, IsClosedWhileATextWaits) {
  TRUNKLINE_NEED_FILE(test::ModelFile("denoiser/mask.onnx"));
  OmniScene scene;
  for (uint32_t segment = 0; segment < 1100; ++segment) scene.Speak(1, "Good morning.", false, segment);
  scene.Close(true);
  scene.Still(0.5);
  EXPECT_EQ(scene.Of(engine::kClosedEvent).size(), 1u);
}

}  // namespace
}  // namespace trunkline::omni
