#include "lanes/omni/sound_gate.h"

#include <gtest/gtest.h>

namespace trunkline::omni {
namespace {

constexpr GateLevels kLevels{.loud_dbfs = -24, .sure_dbfs = -19};
constexpr float kCallers = -18, kBetween = -22, kOthers = -30;

void Sounds(SoundGate& gate, float dbfs, int ms, bool speech = true) {
  for (int at = 0; at < ms; at += 10) gate.Tick(dbfs, speech);
}

SoundGate Locked() {
  SoundGate gate;
  gate.Set(kLevels);
  return gate;
}

TEST(SoundGate, HoldsNothingBackWhileTheLockIsOpen) {
  SoundGate gate;
  Sounds(gate, kOthers, 500);
  EXPECT_FALSE(gate.holds_back());
}

TEST(SoundGate, PassesTheCallerWithinASyllable) {
  SoundGate gate = Locked();
  Sounds(gate, kBetween, SoundGate::kPassesMs - 10);
  EXPECT_TRUE(gate.holds_back());
  Sounds(gate, kBetween, 10);
  EXPECT_FALSE(gate.holds_back());
}

TEST(SoundGate, HoldsBackAQuieterVoiceAndItsLoudestMoments) {
  SoundGate gate = Locked();
  for (int i = 0; i < 20; ++i) {
    Sounds(gate, kBetween, 40);
    Sounds(gate, kOthers, 260);
    ASSERT_TRUE(gate.holds_back());
  }
}

TEST(SoundGate, HoldsBackLoudNoiseThatIsNotSpeech) {
  SoundGate gate = Locked();
  Sounds(gate, kCallers, 500, false);
  EXPECT_TRUE(gate.holds_back());
}

TEST(SoundGate, HoldsBackAgainOnceTheCallerIsQuietAndAnotherGoesOn) {
  SoundGate gate = Locked();
  Sounds(gate, kCallers, 300);
  EXPECT_FALSE(gate.holds_back());
  Sounds(gate, kOthers, SoundGate::kWindowMs);
  EXPECT_TRUE(gate.holds_back());
}

TEST(SoundGate, PassesTheCallersVoiceHoweverQuietUntilTheSoundIsOver) {
  SoundGate gate = Locked();
  Sounds(gate, kOthers, 1000);
  gate.Known(true);
  EXPECT_FALSE(gate.holds_back());
  Sounds(gate, kOthers, SoundGate::kWindowMs, false);
  Sounds(gate, kOthers, 1000);
  EXPECT_TRUE(gate.holds_back());
}

TEST(SoundGate, PassesTheCallerOverAKnownOthersVoice) {
  SoundGate gate = Locked();
  Sounds(gate, kBetween, 200);
  gate.Known(false);
  EXPECT_TRUE(gate.holds_back());
  Sounds(gate, kCallers, SoundGate::kPassesMs);
  EXPECT_FALSE(gate.holds_back());
}

}  // namespace
}  // namespace trunkline::omni
