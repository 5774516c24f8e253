// Tests the agent's speech: held, yielding, interrupted, in another voice, in one that fails.
#include <gtest/gtest.h>

#include <algorithm>

#include "lanes/omni/lane.h"
#include "test/support/omni_call.h"

namespace trunkline::omni {
namespace {

using test::kSentence;
using test::OmniScene;
using test::Voice;

class OmniLaneVoiceTest : public test::OmniCall {};

void Joe(engine::OptionsBuilder& options) {
  options.Text("model", "piper").Text("language", "en").Text("accent", "en-us");
}

uint32_t CostOf(const char* model) {
  engine::OptionsBuilder builder;
  builder.Text("model", model);
  const auto packed = builder.packed();
  const auto options = engine::Options::Parse(packed);
  EXPECT_TRUE(options.ok());
  return MakeOmniKind()->CostOf(*options);
}

TEST(OmniKind, LetsInMoreCallsWithAStandardVoiceThanWithKokoro) {
  constexpr uint32_t kTwoCores = 1600;
  EXPECT_EQ(CostOf("kokoro"), MakeOmniKind()->cost());
  EXPECT_GE(kTwoCores / CostOf("kokoro"), 3u);
  EXPECT_GE(kTwoCores / CostOf("piper"), 8u);
  EXPECT_LE(CostOf("hibari"), CostOf("piper"));
}

TEST(OmniKind, CountsACallByTheVoiceThatItChangesTo) {
  const auto kind = MakeOmniKind();
  const auto after = [&](uint16_t verb, const char* model) {
    engine::OptionsBuilder voice;
    voice.Text("model", model);
    return kind->CostAfter(verb, voice.packed());
  };
  EXPECT_EQ(after(kOmniVoice, "kokoro"), CostOf("kokoro"));
  EXPECT_EQ(after(kOmniVoice, "piper"), CostOf("piper"));
  EXPECT_LT(after(kOmniVoice, "piper"), after(kOmniVoice, "kokoro"));
  EXPECT_EQ(after(kOmniLanguage, "kokoro"), std::nullopt);
  EXPECT_EQ(kind->CostAfter(kOmniVoice, base::AsBytes(std::string_view("garbage"))), std::nullopt);
}

// The pitch of a voice in Hz, by the likeness of each 50 ms to itself a little later; the median of what is
// voiced.
double PitchOf(const std::vector<float>& sound) {
  constexpr size_t kSpan = OmniScene::kRate / 20, kLow = OmniScene::kRate / 350,
                   kHigh = OmniScene::kRate / 70;
  std::vector<double> found;
  for (size_t at = 0; at + kSpan + kHigh <= sound.size(); at += kSpan) {
    const auto similarity = [&](size_t lag) {
      double product = 0, here = 1e-6, there = 1e-6;
      for (size_t i = at; i < at + kSpan; ++i) {
        product += static_cast<double>(sound[i]) * sound[i + lag];
        here += static_cast<double>(sound[i]) * sound[i];
        there += static_cast<double>(sound[i + lag]) * sound[i + lag];
      }
      return here < 0.05 ? 0 : product / std::sqrt(here * there);
    };
    double most = 0.6;
    size_t best = 0;
    for (size_t lag = kLow; lag < kHigh; ++lag) {
      // A whole number of periods is as alike as one: only what is clearly better is another pitch.
      if (const double alike = similarity(lag); alike > most + 0.03) most = alike, best = lag;
    }
    if (best > 0) found.push_back(static_cast<double>(OmniScene::kRate) / static_cast<double>(best));
  }
  if (found.size() < 5) return 0;
  std::nth_element(found.begin(), found.begin() + static_cast<ptrdiff_t>(found.size() / 2), found.end());
  return found[found.size() / 2];
}

TEST_F(OmniLaneVoiceTest, WhatIsHeldIsHeardOnceItIsReleasedAndNotBefore) {
  OmniScene scene;
  scene.Quiet(0.4);
  scene.Say(Voice("an4/an100-mskh-b.wav"));
  ASSERT_TRUE(scene.Comes(kOmniEager, 1));
  // The held answer to the pause, in two pieces.
  scene.Speak(1, "We are open.", false, 0, "held");
  scene.Speak(1, "Come in.", true, 1, "held");
  ASSERT_TRUE(scene.Comes(kOmniFinal, 2));
  scene.Quiet(1);
  EXPECT_EQ(scene.LoudestSince(0), 0) << "nobody has said yet that it is to be heard";
  EXPECT_TRUE(scene.Of(kOmniPlaying).empty());
  const int64_t released = scene.now_ms();
  scene.Number(kOmniRelease, 1);
  ASSERT_TRUE(scene.Until(kOmniPlaying, 1));
  EXPECT_LE(scene.now_ms() - released, 60) << "it was ready";
  ASSERT_TRUE(scene.Until(kOmniPlayed, 5));
  EXPECT_EQ(scene.Of(kOmniPlaying).size(), 2u);
  EXPECT_GT(scene.LoudestSince(released), 0.05f);
}

TEST_F(OmniLaneVoiceTest, WhatIsReleasedBeforeItIsMadeIsHeard) {
  OmniScene scene;
  for (uint32_t segment = 0; segment < 3; ++segment) {
    scene.Speak(1, "Come in.", segment == 2, segment, "held");
  }
  scene.Number(kOmniRelease, 1);
  ASSERT_TRUE(scene.Until(kOmniPlayed, 8));
  EXPECT_EQ(scene.Of(kOmniPlaying).size(), 3u);
}

TEST_F(OmniLaneVoiceTest, WhatIsDiscardedIsNeverHeard) {
  OmniScene scene;
  scene.Speak(1, "We are open.", false, 0, "held");
  scene.Speak(1, kSentence, false, 1, "held");
  scene.Quiet(0.5);
  scene.Speak(1, kSentence, true, 2, "held");
  scene.Number(kOmniDiscard, 1);
  scene.Number(kOmniRelease, 1);
  scene.Quiet(1.5);
  EXPECT_EQ(scene.LoudestSince(0), 0);
  scene.Speak(2, "Come in.");
  ASSERT_TRUE(scene.Until(kOmniPlayed, 5));
  ASSERT_EQ(scene.Of(kOmniPlaying).size(), 1u);
  EXPECT_EQ(scene.Of(kOmniPlaying)[0].number(0), 2u);
}

TEST_F(OmniLaneVoiceTest, WhatYieldsWaitsUntilTheCallerHasFinished) {
  OmniScene scene;
  scene.Quiet(0.4);
  const auto voice = Voice("an4/an163-mfaa-b.wav");
  const auto middle = voice.begin() + static_cast<ptrdiff_t>(voice.size() / 3);
  scene.Say({voice.begin(), middle});
  ASSERT_FALSE(scene.Of(kOmniSpeechStart).empty());
  scene.Speak(1, "Welcome.", true, 0, "yields");
  scene.Say({middle, voice.end()});
  EXPECT_TRUE(scene.Of(kOmniPlaying).empty()) << "the caller speaks";
  EXPECT_EQ(scene.LoudestSince(0), 0);
  ASSERT_TRUE(scene.Until(kOmniPlaying, 3));
  EXPECT_EQ(scene.Of(kOmniFinal).size(), 1u) << "the caller has finished";
}

TEST_F(OmniLaneVoiceTest, AnotherVoiceSpeaksFromTheNextSegmentOn) {
  OmniScene scene;
  scene.Speak(1, "We are open all day.", false, 0);
  scene.Configure(kOmniVoice, [](engine::OptionsBuilder& options) {
    options.Text("model", "kokoro").Text("language", "en").Text("accent", "en-us");
    options.List("styles", {"af_heart:1"});
  });
  scene.Speak(1, "We are open all day.", true, 1);
  ASSERT_TRUE(scene.Until(kOmniPlayed, 15));
  const auto playing = scene.Of(kOmniPlaying);
  ASSERT_EQ(playing.size(), 2u);
  const double joe = PitchOf(scene.Sound(playing[0].real(8), playing[1].real(8)));
  const double heart = PitchOf(scene.Sound(playing[1].real(8)));
  EXPECT_GT(joe, 80);
  EXPECT_LT(joe, 145) << "a man's";
  EXPECT_GT(heart, 160) << "a woman's";
}

TEST_F(OmniLaneVoiceTest, QueuedAudioIsNotPlayedAfterAnInterruption) {
  OmniScene scene;
  for (uint32_t segment = 0; segment < 4; ++segment) scene.Speak(1, kSentence, segment == 3, segment);
  ASSERT_TRUE(scene.Until(kOmniPlaying, 5));
  scene.Quiet(0.3);
  scene.Number(kOmniInterrupt, 0);
  ASSERT_TRUE(scene.Until(kOmniInterrupted, 0.1));
  const int64_t interrupted = scene.now_ms();
  EXPECT_EQ(scene.Of(kOmniInterrupted)[0].number(0), 1u);
  EXPECT_EQ(scene.Of(kOmniInterrupted)[0].number(4), 1u) << "by command";
  scene.Quiet(3);
  EXPECT_EQ(scene.LoudestSince(interrupted), 0);
  EXPECT_TRUE(scene.Of(kOmniPlaying, interrupted).empty());
  scene.Speak(2, "Come in.");
  ASSERT_TRUE(scene.Until(kOmniPlayed, 5));
  const auto playing = scene.Of(kOmniPlaying, interrupted);
  ASSERT_EQ(playing.size(), 1u);
  EXPECT_EQ(playing[0].number(0), 2u);
}

TEST_F(OmniLaneVoiceTest, AVoiceThatFailsIsToldAndTheNextOneSpeaks) {
  OmniScene scene;
  scene.Configure(kOmniVoice, [](engine::OptionsBuilder& options) {
    options.Text("model", "kokoro").Text("language", "en").Text("accent", "en-us");
    options.List("styles", {"nobody:1"});
  });
  scene.Speak(5, "We are open.");
  ASSERT_TRUE(scene.Until(kOmniSpeechFailed, 3));
  EXPECT_EQ(scene.Of(kOmniSpeechFailed)[0].number(0), 5u);
  EXPECT_NE(scene.Of(kOmniSpeechFailed)[0].text(4).find("nobody"), std::string::npos);
  EXPECT_EQ(scene.LoudestSince(0), 0);
  scene.Configure(kOmniVoice, Joe);
  scene.Speak(6, "Come in.");
  ASSERT_TRUE(scene.Until(kOmniPlaying, 5));
  EXPECT_EQ(scene.Of(kOmniPlaying)[0].number(0), 6u);
  EXPECT_EQ(scene.Of(kOmniSpeechFailed).size(), 1u);
}

TEST_F(OmniLaneVoiceTest, AVoiceThatIsBeingLearntIsNotLearntOnceMore) {
  // Steps until a word was said in a voice that nobody knows, by a call that waits so long for it first.
  const auto steps = [](double wait_s) {
    OmniScene scene({}, "", false);
    scene.steps_at_once = 1;
    scene.inference_ticks = 1;
    scene.Still(wait_s);
    const int64_t before = scene.steps();
    scene.Speak(1, "Yes.");
    for (double s = 0; s < 10 && scene.Of(kOmniPlayed).empty(); s += 0.02) scene.Still(0.02);
    EXPECT_EQ(scene.Of(kOmniPlayed).size(), 1u);
    return std::pair(before, scene.steps());
  };
  const auto [learnt, all] = steps(3);
  ASSERT_LT(learnt, 300) << "it is learnt by then";
  const auto [some, as_many] = steps(static_cast<double>(learnt) / 200);
  ASSERT_GT(some, 2);
  ASSERT_LT(some, learnt) << "and not by then";
  EXPECT_LE(as_many, all + 2);
}

}  // namespace
}  // namespace trunkline::omni
