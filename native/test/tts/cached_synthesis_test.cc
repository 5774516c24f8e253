// A sound that is there from before, against one that is made.
#include "tts/cached_synthesis.h"

#include "test/tts/synthesis_scene.h"

namespace trunkline::tts {
namespace {

constexpr const char* kText = "Good morning, how can I help you?";

class CachedSynthesisTest : public SynthesisTest {
 protected:
  struct Spoken {
    std::vector<float> sound;
    int pause_ms = 0, rate = 0;
    bool sounded = false;
    bool operator==(const Spoken&) const = default;
  };
  static Spoken Say(const VoiceSpec& voice, const std::string& owner, const char* text = kText,
                    uint64_t seed = 0) {
    auto spoken = CachedSynthesis::Open(Models(), voice, text, owner, seed);
    EXPECT_TRUE(spoken.ok()) << spoken.status().ToString();
    Spoken said;
    while (!(*spoken)->done()) EXPECT_TRUE((*spoken)->Step(nullptr, said.sound).ok());
    return {said.sound, (*spoken)->PauseAfter(), (*spoken)->rate(), (*spoken)->sounded()};
  }
  // At most, of two samples. Windows are as large as the machine is quick: the last bits of a sum go by them.
  static float Apart(const std::vector<float>& one, const std::vector<float>& other) {
    if (one.size() != other.size()) return 1;
    float most = 0;
    for (size_t i = 0; i < one.size(); ++i) most = std::max(most, std::abs(one[i] - other[i]));
    return most;
  }
  static uint64_t Found() { return Models()->sound_cache().counts().found; }
  void SetUp() override {
    SynthesisTest::SetUp();
    if (Models()) Models()->sound_cache().ForgetAll();
  }
};

TEST_F(CachedSynthesisTest, TheThirdTimeIsTheSecondsSoundToTheSample) {
  for (const VoiceSpec& voice : {Joe(), Kokoro()}) {
    const uint64_t before = Found();
    const Spoken made = Say(voice, "org");
    const Spoken noted = Say(voice, "org");
    EXPECT_EQ(Found(), before);
    const Spoken cached = Say(voice, "org");
    EXPECT_EQ(Found(), before + 1);
    EXPECT_EQ(cached, noted);
    EXPECT_LT(Apart(cached.sound, made.sound), 1e-3F) << "whatever its windows were";
    EXPECT_TRUE(cached.sounded);
    EXPECT_GT(cached.sound.size(), size_t{24000});
  }
}

TEST_F(CachedSynthesisTest, AnotherOwnerVoiceSpeedTextOrSeedIsMade) {
  for (int time = 0; time < 2; ++time) Say(Joe(), "org");
  const uint64_t before = Found();
  Say(Joe(), "other");
  Say(Kokoro(), "org");
  VoiceSpec faster = Joe();
  faster.speed = 1.3F;
  EXPECT_LT(Say(faster, "org").sound.size(), Say(Joe(), "").sound.size());
  Say(Joe(), "org", "Good morning.");
  Say(Joe(), "org", kText, 7);
  EXPECT_EQ(Found(), before);
  Say(Joe(), "org");
  EXPECT_EQ(Found(), before + 1);
}

TEST_F(CachedSynthesisTest, OneSoundOfKokoroServesEverySeed) {
  for (const uint64_t seed : {1, 2}) Say(Kokoro(), "org", kText, seed);
  const uint64_t before = Found();
  EXPECT_LT(Apart(Say(Kokoro(), "org", kText, 3).sound, Say(Kokoro(), "", kText, 3).sound), 1e-3F);
  EXPECT_EQ(Found(), before + 1);
}

TEST_F(CachedSynthesisTest, WithoutAnOwnerNothingIsAskedForNorKept) {
  const uint64_t before = Models()->sound_cache().counts().asked;
  for (int time = 0; time < 3; ++time) Say(Joe(), "");
  EXPECT_EQ(Models()->sound_cache().counts().asked, before);
  EXPECT_EQ(Models()->sound_cache().counts().sounds, 0U);
}

TEST_F(CachedSynthesisTest, WhatIsBrokenOffIsNotKept) {
  Say(Joe(), "org");
  {
    auto half = CachedSynthesis::Open(Models(), Joe(), kText, "org", 0);
    ASSERT_TRUE(half.ok());
    std::vector<float> sound;
    while (sound.empty()) ASSERT_TRUE((*half)->Step(nullptr, sound).ok());
  }
  EXPECT_EQ(Models()->sound_cache().counts().sounds, 0U);
}

TEST_F(CachedSynthesisTest, LongFormWhatIsTooLongIsSaidAllTheSame) {
  const std::string sentences =
      "We are open from nine in the morning until five in the afternoon, and you may come at any time you "
      "like. "
      "If you can't come yourself, somebody else may come in your place, provided that they bring a letter "
      "of yours "
      "and something that says who they are, as a passport does. ";
  std::string text;
  for (int time = 0; time < 5; ++time) text += sentences;
  for (int time = 0; time < 2; ++time)
    EXPECT_GT(Say(Joe(), "org", text.c_str()).sound.size(), size_t{48} * kPiperRate);
  EXPECT_EQ(Models()->sound_cache().counts().sounds, 0U);
}

}  // namespace
}  // namespace trunkline::tts
