// The media thread's part of a call allocates nothing once a turn has been taken: every operator new of this
// program is counted.
#include <gtest/gtest.h>

#include "lanes/omni/lane.h"
#include "test/support/omni_call.h"
#include "test/support/own_allocations.h"

namespace trunkline::omni {
namespace {

using test::kSentence;
using test::OmniScene;
using test::Voice;

class OmniAllocationTest : public test::OmniCall {
 protected:
  // A question, an answer of two segments in a voice that is set, words under it that interrupt, and an answer that is held
  // and then not wanted.
  static void Turn(OmniScene& scene, uint32_t speech, const std::vector<float>& question) {
    scene.Say(question);
    ASSERT_TRUE(scene.Until(kOmniFinal, 2));
    scene.Configure(kOmniVoice, [](engine::OptionsBuilder& voice) {
      voice.Text("model", "piper").Text("accent", "en-us").Text("language", "en").Number("speed", 1.1);
    });
    scene.Speak(speech, kSentence, false, 0);
    scene.Speak(speech, kSentence, true, 1);
    ASSERT_TRUE(scene.Until(kOmniPlaying, 3));
    scene.Quiet(0.5);
    scene.Say(question);
    ASSERT_TRUE(scene.Until(kOmniFinal, 2));
    scene.Speak(speech + 1, kSentence, true, 0, "held");
    scene.Quiet(0.2);
    scene.Number(kOmniRelease, speech + 1);
    scene.Number(kOmniDiscard, speech + 1);
    scene.Configure(kOmniLanguage, [](engine::OptionsBuilder& options) { options.Text("language", "en"); });
    scene.Still(0.7);
  }
};

TEST_F(OmniAllocationTest, ATickOfACallAllocatesNothingAfterItsFirstTurn) {
  std::vector<float> question = Voice("ljspeech/LJ001-0001.wav");
  question.resize(static_cast<size_t>(2.5 * OmniScene::kRate));
  OmniScene scene;
  Turn(scene, 1, question);
  const size_t interruptions = scene.Of(kOmniInterrupted).size();
  uint64_t allocated = 0;
  scene.around_tick = [&](const auto& tick) { allocated += test::OwnAllocations(tick); };
  Turn(scene, 3, question);
  EXPECT_EQ(allocated, 0u);
  EXPECT_GT(scene.Of(kOmniInterrupted).size(), interruptions) << "the agent was interrupted";
}

}  // namespace
}  // namespace trunkline::omni
