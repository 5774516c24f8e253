// Partials of a caller who speaks under the agent's voice: nobody is told of them, and none is made.
#include <gtest/gtest.h>

#include <cctype>
#include <string>

#include "lanes/omni/lane.h"
#include "test/support/omni_call.h"

namespace trunkline::omni {
namespace {

using test::OmniScene;
using test::Voice;

class OmniUnreadPartialsTest : public test::OmniCall {
 protected:
  // The caller speaks until the event, and no partial is made meanwhile. Answers with how much of the voice was said.
  static size_t SayUntil(OmniScene& scene, uint16_t event, const decltype(Voice(""))& voice) {
    const uint64_t before = scene.partial_steps();
    size_t at = 0;
    for (; at + OmniScene::kFrame <= voice.size() && scene.Of(event).empty(); at += OmniScene::kFrame) {
      EXPECT_EQ(scene.partial_steps(), before);
      scene.Say({voice.begin() + static_cast<ptrdiff_t>(at),
                 voice.begin() + static_cast<ptrdiff_t>(at + OmniScene::kFrame)});
    }
    return at;
  }
};

TEST_F(OmniUnreadPartialsTest, NoneIsMadeUnderTheAgentsVoiceAndTheWordsAreTheSame) {
  const auto voice = Voice("an4/an163-mfaa-b.wav");
  const auto words = [](const OmniScene& scene) {
    std::string letters;
    for (const char c : scene.Of(kOmniFinal)[0].text(56)) {
      if (std::isalpha(static_cast<unsigned char>(c)) != 0) letters.push_back(c);
    }
    return letters;
  };
  OmniScene alone;
  alone.Quiet(0.4);
  alone.Say(voice);
  ASSERT_TRUE(alone.Comes(kOmniFinal, 3));
  EXPECT_GT(alone.partial_steps(), 0U);

  OmniScene scene;
  Speaking(scene);
  const uint64_t before = scene.partial_steps();
  const size_t at = SayUntil(scene, kOmniInterrupted, voice);
  ASSERT_EQ(scene.Of(kOmniInterrupted).size(), 1U) << "the caller interrupts";
  scene.Say({voice.begin() + static_cast<ptrdiff_t>(at), voice.end()});
  ASSERT_TRUE(scene.Comes(kOmniFinal, 3));
  EXPECT_GT(scene.partial_steps(), before) << "it is the caller's turn from the interruption on";
  EXPECT_EQ(words(scene), words(alone));
}

TEST_F(OmniUnreadPartialsTest, TheyAreMadeWhenTheAgentsVoiceHasEndedByItself) {
  const auto voice = Voice("an4/an363-mmkw-b.wav");
  OmniScene scene([](auto& options) { options.Number("barge_dbfs", -3); });  // nobody is so loud
  scene.Speak(1, "Good morning.");
  ASSERT_TRUE(scene.Until(kOmniPlaying, 5));
  const uint64_t before = scene.partial_steps();
  const size_t at = SayUntil(scene, kOmniPlayed, voice);
  ASSERT_EQ(scene.Of(kOmniSpeechStart).size(), 1U) << "it began under the agent's voice";
  ASSERT_GT(voice.size() - at, size_t{OmniScene::kRate}) << "and goes on";
  scene.Say({voice.begin() + static_cast<ptrdiff_t>(at), voice.end()});
  EXPECT_GT(scene.partial_steps(), before);
  ASSERT_TRUE(scene.Comes(kOmniFinal, 3));
  EXPECT_TRUE(scene.Of(kOmniInterrupted).empty());
}

}  // namespace
}  // namespace trunkline::omni
