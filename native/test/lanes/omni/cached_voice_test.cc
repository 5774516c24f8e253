// Tests that a lane's repeated speech comes from the cache and sounds the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lanes/omni/lane.h"
#include "test/support/omni_call.h"

namespace trunkline::omni {
namespace {

using test::OmniScene;

constexpr const char* kMark = "00112233445566778899aabbccddeeff";

class OmniCachedVoiceTest : public test::OmniCall {
 protected:
  struct SpokenRun {
    std::vector<float> sound;
    int64_t steps = 0;
  };

  // The same words so many times, in two segments, each speech after the last was heard.
  static std::vector<SpokenRun> Repeated(const std::function<void(engine::OptionsBuilder&)>& options,
                                         int times) {
    OmniScene scene(options);
    std::vector<SpokenRun> said;
    for (int time = 1; time <= times; ++time) {
      const auto from = static_cast<double>(scene.now_ms());
      const int64_t before = scene.steps();
      scene.Speak(static_cast<uint32_t>(time), "Good morning.", false, 0);
      scene.Speak(static_cast<uint32_t>(time), "How can I help you?", true, 1);
      EXPECT_TRUE(scene.Until(kOmniPlayed, 8));
      said.push_back({Trimmed(scene.Sound(from)), scene.steps() - before});
    }
    return said;
  }

  // At most, of two samples. What is made twice is not always made in the same windows.
  static constexpr float kApart = 1e-3F;
  static float Apart(const std::vector<float>& one, const std::vector<float>& other) {
    if (one.size() != other.size()) return 1;
    float most = 0;
    for (size_t i = 0; i < one.size(); ++i) most = std::max(most, std::abs(one[i] - other[i]));
    return most;
  }

  static std::vector<float> Trimmed(const std::vector<float>& sound) {
    const auto sounds = [](float sample) { return sample != 0; };
    const auto first = std::ranges::find_if(sound, sounds);
    const auto last = std::find_if(sound.rbegin(), sound.rend(), sounds);
    return first == sound.end() ? std::vector<float>() : std::vector<float>(first, last.base());
  }
};

TEST_F(OmniCachedVoiceTest, TheThirdTimeSoundsAsTheFirstAndTakesFewerSteps) {
  const auto said = Repeated([](auto& options) { options.Text("owner", "org"); }, 3);
  EXPECT_GT(said[0].sound.size(), size_t{OmniScene::kRate});
  EXPECT_EQ(said[2].sound, said[1].sound);
  EXPECT_LT(Apart(said[2].sound, said[0].sound), kApart);
  EXPECT_GT(said[1].steps, said[0].steps / 2) << "it is made, and kept";
  EXPECT_LT(said[2].steps, said[0].steps / 2);
}

TEST_F(OmniCachedVoiceTest, LongFormTheMarkGoesOnOverWhatIsKeptAsOverWhatIsMade) {
  const auto marked = [](auto& options) { options.Text("mark", kMark); };
  const auto made = Repeated(marked, 4);
  const auto cached = Repeated(
      [&](auto& options) {
        marked(options);
        options.Text("owner", "org");
      },
      4);
  EXPECT_LT(cached[3].steps, made[3].steps / 2);
  EXPECT_NE(made[3].sound, made[0].sound) << "the mark is not where it was";
  for (size_t time = 0; time < made.size(); ++time)
    EXPECT_LT(Apart(cached[time].sound, made[time].sound), kApart);
}

TEST_F(OmniCachedVoiceTest, LongFormAnInterruptedSegmentIsCachedWhole) {
  const std::string text =
      std::string(test::kSentence) + "Somebody will be there to help you, whatever it is that you need.";
  OmniScene scene([](auto& options) { options.Text("owner", "org"); });
  std::vector<SpokenRun> said;
  for (uint32_t time = 1; time <= 5; ++time) {
    const auto from = static_cast<double>(scene.now_ms());
    const int64_t before = scene.steps();
    scene.Speak(time, text);
    if (time == 4) {
      ASSERT_TRUE(scene.Until(kOmniPlaying, 8));
      scene.Quiet(4);
      scene.Number(kOmniInterrupt, 0);
      ASSERT_TRUE(scene.Comes(kOmniInterrupted, 1));
      scene.Quiet(0.5);
    } else {
      ASSERT_TRUE(scene.Until(kOmniPlayed, 20));
    }
    said.push_back({Trimmed(scene.Sound(from)), scene.steps() - before});
  }
  EXPECT_GT(said[0].sound.size(), size_t{8} * OmniScene::kRate);
  EXPECT_EQ(said[2].sound, said[1].sound);
  EXPECT_LT(said[3].sound.size(), size_t{5} * OmniScene::kRate);
  EXPECT_EQ(said[4].sound, said[1].sound);
  EXPECT_LT(Apart(said[4].sound, said[0].sound), kApart);
  EXPECT_LT(said[4].steps, said[0].steps) << "it is still served";
}

TEST_F(OmniCachedVoiceTest, ALaneWithoutAnOwnerKeepsNothing) {
  const auto said = Repeated({}, 3);
  EXPECT_GT(said[2].steps, said[0].steps / 2);
}

}  // namespace
}  // namespace trunkline::omni
