// @requirement Omni: While `wait_for` waits, hold music is no turn, and a person who speaks is answered.
// Music on the caller's line, and who speaks behind it or over it.
#include "lanes/omni/hold_music_detector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lanes/omni/lane.h"
#include "test/support/omni_call.h"

namespace trunkline::omni {
namespace {

using test::OmniScene;
using test::Voice;

// Notes of two fifths of a second, three at a time, as a hold music's.
std::vector<float> Chords(double seconds, double amplitude) {
  constexpr double kNotes[] = {262, 330, 392, 440, 523, 587, 659, 784};
  std::vector<float> sound(static_cast<size_t>(seconds * OmniScene::kRate));
  for (size_t i = 0; i < sound.size(); ++i) {
    const double at_s = static_cast<double>(i) / OmniScene::kRate;
    const auto step = static_cast<size_t>(at_s / 0.4);
    for (size_t voice = 0; voice < 3; ++voice) {
      const double hertz = kNotes[(step * 3 + voice * 2) % 8];
      sound[i] += static_cast<float>(amplitude / 3 * std::sin(2 * std::numbers::pi * hertz * at_s));
    }
  }
  return sound;
}

bool Plays(const test::OmniHeard& reported) {
  return reported.number(0) == 1;
}

class HoldMusicDetectorTest : public test::OmniCall {};

TEST_F(HoldMusicDetectorTest, TellsWhereMusicBeganAndWhoSpeaksBehindIt) {
  OmniScene scene;
  scene.Quiet(1);
  scene.Say(Chords(6, 0.2));
  ASSERT_EQ(scene.Of(kOmniMusic).size(), 1u);
  EXPECT_TRUE(Plays(scene.Of(kOmniMusic)[0]));
  EXPECT_NEAR(scene.Of(kOmniMusic)[0].real(8), 1000, 500);
  scene.Say(Voice("ljspeech/LJ001-0001.wav"));
  ASSERT_TRUE(scene.Comes(kOmniFinal, 3));
  ASSERT_EQ(scene.Of(kOmniMusic).size(), 2u);
  EXPECT_FALSE(Plays(scene.Of(kOmniMusic)[1]));
  EXPECT_NEAR(scene.Of(kOmniMusic)[1].real(8), 7000, 700);
}

TEST_F(HoldMusicDetectorTest, EndsForAShortWordThatIsSaidOverIt) {
  OmniScene scene;
  std::vector<float> sound = Chords(8, 0.02);
  const std::vector<float> word = Voice("an4/cen3-mcfl-b.wav");
  const size_t from = 5 * OmniScene::kRate;
  ASSERT_LT(from + word.size(), sound.size());
  for (size_t i = 0; i < word.size(); ++i) sound[from + i] += word[i];
  scene.Say(sound);
  const auto reported = scene.Of(kOmniMusic);
  ASSERT_GE(reported.size(), 2u);
  EXPECT_TRUE(Plays(reported[0]));
  EXPECT_FALSE(Plays(reported[1]));
  EXPECT_NEAR(reported[1].real(8), 5300, 700);
}

TEST_F(HoldMusicDetectorTest, LongFormIsSilentForSomebodyWhoSpeaks) {
  OmniScene scene;
  scene.Say(Voice("ljspeech/LJ001-0001.wav"));
  scene.Quiet(2);
  EXPECT_TRUE(scene.Of(kOmniMusic).empty());
}

}  // namespace
}  // namespace trunkline::omni
