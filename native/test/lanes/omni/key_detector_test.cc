// @requirement Omni: DTMF tones in the caller's audio are taken as keys.
#include "lanes/omni/key_detector.h"

#include <gtest/gtest.h>

#include "lanes/omni/lane.h"
#include "test/support/omni_call.h"

namespace trunkline::omni {
namespace {

using test::OmniScene;
using test::Voice;

class KeyDetectorTest : public test::OmniCall {};

std::vector<float> Keys(std::string_view digits) {
  auto generator = dsp::DtmfGenerator::Create(OmniScene::kRate, digits);
  std::vector<float> sound(static_cast<size_t>(OmniScene::kRate) * digits.size() / 5);
  generator->Process(sound);
  return sound;
}

TEST_F(KeyDetectorTest, TellsTheKeysInTheCallersSoundAndWhen) {
  OmniScene scene;
  scene.Quiet(0.5);
  const auto began = static_cast<double>(scene.now_ms());
  scene.Say(Keys("19*#"));
  std::string reported;
  for (const auto& key : scene.Of(kOmniKey)) reported += static_cast<char>(key.number(0));
  ASSERT_EQ(reported, "19*#");
  EXPECT_NEAR(scene.Of(kOmniKey)[2].real(8), began + 400, 25);
}

TEST_F(KeyDetectorTest, LongFormTakesNoWordsForKeys) {
  OmniScene scene;
  for (const char* name : {"ljspeech/LJ001-0001.wav", "an4/an163-mfaa-b.wav", "an4/cen1-mmkw-b.wav"}) {
    scene.Say(Voice(name));
  }
  EXPECT_TRUE(scene.Of(kOmniKey).empty());
}

}  // namespace
}  // namespace trunkline::omni
