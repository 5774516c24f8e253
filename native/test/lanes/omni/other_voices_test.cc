// With the speaker lock, what somebody else says behind the caller does not interrupt the agent.
#include <gtest/gtest.h>

#include <optional>

#include "lanes/omni/lane.h"
#include "test/support/omni_call.h"

namespace trunkline::omni {
namespace {

using test::OmniScene;
using test::Voice;

class OmniOtherVoicesTest : public test::OmniCall {
 protected:
  static constexpr float kCaller = 0.35f, kBehind = 0.09f;  // peaks, 12 dB apart

  struct Outcome {
    size_t interruptions = 0;
    size_t left_out = 0;  // utterances
    uint32_t words = 0;
    std::string text;
  };
  // The caller speaks twice, then the agent does, and another voice behind the caller.
  static Outcome Behind(OmniScene& scene, const std::vector<float>& voice) {
    for (const char* path : {"ljspeech/LJ001-0002.wav", "ljspeech/LJ001-0004.wav"}) {
      scene.Quiet(0.4);
      scene.Say(Voice(path, kCaller));
      EXPECT_TRUE(scene.Until(kOmniFinal, 3)) << path;
      scene.Quiet(0.5);
    }
    const int64_t from_ms = scene.now_ms();
    Speaking(scene);
    scene.Say(voice);
    scene.Quiet(1.5);
    Outcome heard{.interruptions = scene.Of(kOmniInterrupted).size()};
    for (const auto& left : scene.Of(kOmniLeftOut, from_ms)) {
      ++heard.left_out;
      heard.words += left.number(4);
    }
    for (const auto& final : scene.Of(kOmniFinal, from_ms)) heard.text += final.text(56);
    return heard;
  }
};

TEST_F(OmniOtherVoicesTest, AModelOfAnotherKindLeavesTheCallWithoutTheLock) {
  OmniScene scene([](engine::OptionsBuilder& options) { options.Number("primary_speaker", 1); }, "", true,
                  test::ModelFile("silero-vad/silero_vad.onnx"));
  scene.Quiet(0.4);
  scene.Say(Voice("ljspeech/LJ001-0002.wav", kCaller));
  EXPECT_TRUE(scene.Until(kOmniFinal, 3));
}

TEST_F(OmniOtherVoicesTest, AVoiceBehindTheCallerNeitherInterruptsNorIsWritten) {
  const auto other = Voice("pocketsphinx/sense_and_sensibility_01_austen_64kb-0870.wav", kBehind);
  OmniScene open;
  const Outcome unlocked = Behind(open, other);
  EXPECT_GE(unlocked.interruptions, 1u) << "the recording does interrupt where nothing is locked";
  EXPECT_EQ(unlocked.left_out, 0u);
  OmniScene locked([](engine::OptionsBuilder& options) { options.Number("primary_speaker", 1); });
  const Outcome heard = Behind(locked, other);
  EXPECT_EQ(heard.interruptions, 0u);
  EXPECT_EQ(heard.text, "");
  EXPECT_GE(heard.left_out, 1u);
  EXPECT_GE(heard.words, 1u);
}

TEST_F(OmniOtherVoicesTest, AVoiceAsLoudAsTheCallersThatBeginsUnderTheAgentsIsNotWritten) {
  OmniScene locked([](engine::OptionsBuilder& options) { options.Number("primary_speaker", 1); });
  const Outcome heard =
      Behind(locked, Voice("pocketsphinx/sense_and_sensibility_01_austen_64kb-0870.wav", kCaller));
  EXPECT_EQ(heard.text, "");
  EXPECT_GE(heard.left_out, 1u);
}

// The other voice goes on for seconds after the caller has finished.
TEST_F(OmniOtherVoicesTest, AVoiceBehindTheCallerDoesNotHoldTheEndOfATurnBack) {
  const auto other = Voice("pocketsphinx/sense_and_sensibility_01_austen_64kb-0870.wav", kBehind);
  OmniScene locked([](engine::OptionsBuilder& options) { options.Number("primary_speaker", 1); });
  ASSERT_GE(Behind(locked, other).left_out, 1u);
  locked.Configure(kOmniInterrupt, [](engine::OptionsBuilder&) {});
  locked.Quiet(1.5);
  std::vector<float> both = Voice("ljspeech/LJ001-0002.wav", kCaller);
  const int64_t from_ms = locked.now_ms();
  const auto said_ms = static_cast<int64_t>(both.size() * 1000 / OmniScene::kRate);
  both.resize(both.size() + other.size());
  for (size_t i = 0; i < both.size(); ++i) both[i] += other[i % other.size()];
  locked.Say(both);
  locked.Quiet(1.5);
  std::optional<int64_t> final_ms;
  for (const auto& final : locked.Of(kOmniFinal, from_ms)) {
    if (!final_ms && !final.text(56).empty()) final_ms = final.at_ms - from_ms;
  }
  ASSERT_TRUE(final_ms);
  EXPECT_LE(*final_ms, said_ms + 1500);
}

TEST_F(OmniOtherVoicesTest, TheCallerInterruptsAsEver) {
  OmniScene locked([](engine::OptionsBuilder& options) { options.Number("primary_speaker", 1); });
  const Outcome heard = Behind(locked, Voice("ljspeech/LJ001-0006.wav", kCaller));
  EXPECT_EQ(heard.interruptions, 1u);
  EXPECT_EQ(heard.left_out, 0u);
  EXPECT_NE(heard.text, "");
}

}  // namespace
}  // namespace trunkline::omni
