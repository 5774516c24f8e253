// What a lane says again: its sound is kept, and nobody hears that.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "omni/lane.h"
#include "test/support/omni_call.h"

namespace trunkline::omni {
namespace {

using test::OmniScene;

constexpr const char* kMark = "00112233445566778899aabbccddeeff";

class OmniKeptVoiceTest : public test::OmniCall {
 protected:
  struct Said {
    std::vector<float> sound;
    int64_t steps = 0;
  };

  // The same words so many times, in two segments, each speech after the last was heard.
  static std::vector<Said> Repeated(const std::function<void(engine::OptionsBuilder&)>& options, int times) {
    OmniScene scene(options);
    std::vector<Said> said;
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

  static std::vector<float> Trimmed(const std::vector<float>& sound) {
    const auto sounds = [](float sample) { return sample != 0; };
    const auto first = std::ranges::find_if(sound, sounds);
    const auto last = std::find_if(sound.rbegin(), sound.rend(), sounds);
    return first == sound.end() ? std::vector<float>() : std::vector<float>(first, last.base());
  }
};

TEST_F(OmniKeptVoiceTest, TheThirdTimeSoundsAsTheFirstAndTakesFewerSteps) {
  const auto said = Repeated([](auto& options) { options.Text("owner", "org"); }, 3);
  EXPECT_GT(said[0].sound.size(), size_t{OmniScene::kRate});
  EXPECT_EQ(said[2].sound, said[0].sound);
  EXPECT_GT(said[1].steps, said[0].steps / 2) << "it is made, and kept";
  EXPECT_LT(said[2].steps, said[0].steps / 2);
}

TEST_F(OmniKeptVoiceTest, TheMarkGoesOnOverWhatIsKeptAsOverWhatIsMade) {
  const auto marked = [](auto& options) { options.Text("mark", kMark); };
  const auto made = Repeated(marked, 4);
  const auto kept = Repeated(
      [&](auto& options) {
        marked(options);
        options.Text("owner", "org");
      },
      4);
  EXPECT_LT(kept[3].steps, made[3].steps / 2);
  EXPECT_NE(made[3].sound, made[0].sound) << "the mark is not where it was";
  for (size_t time = 0; time < made.size(); ++time) EXPECT_EQ(kept[time].sound, made[time].sound);
}

TEST_F(OmniKeptVoiceTest, ALaneWithoutAnOwnerKeepsNothing) {
  const auto said = Repeated({}, 3);
  EXPECT_GT(said[2].steps, said[0].steps / 2);
}

}  // namespace
}  // namespace trunkline::omni
