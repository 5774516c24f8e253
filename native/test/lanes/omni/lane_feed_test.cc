// Tests segments whose sound is fed from outside, and the lane's voice where a feed ends too early.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lanes/omni/lane.h"
#include "test/support/omni_call.h"

namespace trunkline::omni {
namespace {

using test::OmniHeard;
using test::OmniScene;

constexpr int kFedRate = 24'000;
constexpr const char* kText = "We are open from nine until five, and you may come at any time you like.";

class OmniLaneFeedTest : public test::OmniCall {
 protected:
  static void Fed(engine::OptionsBuilder& options) { options.Number("fed", 1); }

  static void Order(OmniScene& scene, uint32_t speech, uint32_t segment = 0, const char* how = nullptr) {
    scene.Configure(kOmniSpeak, [&](auto& options) {
      options.Number("speech", speech).Number("segment", segment).Text("text", kText);
      options.Number("fed_rate", kFedRate);
      if (how != nullptr) options.Number(how, 1);
    });
  }

  static void Send(OmniScene& scene, uint16_t verb, uint32_t speech, uint32_t segment, base::ByteView rest) {
    std::vector<uint8_t> body(8);
    base::Store(body.data(), speech);
    base::Store(body.data() + 4, segment);
    body.insert(body.end(), rest.begin(), rest.end());
    scene.Raw(verb, body);
  }

  // A tone, from so many milliseconds of it on.
  static void Tone(OmniScene& scene, uint32_t speech, uint32_t segment, double from_ms, double ms) {
    std::vector<int16_t> samples(static_cast<size_t>(ms * kFedRate / 1000));
    for (size_t i = 0; i < samples.size(); ++i) {
      const double t = from_ms / 1000 + static_cast<double>(i) / kFedRate;
      samples[i] = static_cast<int16_t>(8000 * std::sin(2 * std::numbers::pi * 440 * t));
    }
    Send(scene, kOmniSound, speech, segment, base::AsBytes(std::span<const int16_t>(samples)));
  }

  static void End(OmniScene& scene, uint32_t speech, uint32_t segment, uint32_t from) {
    uint8_t body[4];
    base::Store(body, from);
    Send(scene, kOmniSoundEnd, speech, segment, body);
  }

  static double PlayedMs(const OmniHeard& event, size_t index = 0) { return event.real(8 + index * 24 + 8); }
};

TEST_F(OmniLaneFeedTest, PlaysWhatIsFedAtTheRateOfTheLine) {
  OmniScene scene(Fed);
  Order(scene, 1);
  scene.Number(kOmniFinish, 1);
  ASSERT_TRUE(scene.Comes(kOmniFeed, 0.1));
  const auto wanted = scene.Of(kOmniFeed)[0];
  EXPECT_EQ(wanted.number(0), 1u);
  EXPECT_GE(wanted.real(8), 2000);
  for (int at = 0; at < 1000; at += 100) Tone(scene, 1, 0, at, 100);
  End(scene, 1, 0, 1000);
  ASSERT_TRUE(scene.Comes(kOmniPlayed, 3));
  EXPECT_NEAR(PlayedMs(scene.Of(kOmniPlayed)[0]), 1000, 1);
  // 440 Hz crosses zero 880 times a second.
  const double from = scene.Of(kOmniPlaying)[0].real(8);
  const auto sound = scene.Sound(from + 100, from + 900);
  int crossings = 0;
  for (size_t i = 1; i < sound.size(); ++i) crossings += (sound[i - 1] < 0) != (sound[i] < 0);
  EXPECT_NEAR(crossings, 704, 8);
}

TEST_F(OmniLaneFeedTest, AsksForMoreAsItIsPlayedAndNeverForMoreThanFits) {
  OmniScene scene(Fed);
  Order(scene, 1);
  ASSERT_TRUE(scene.Comes(kOmniFeed, 0.1));
  double sent = 0, max_ahead = 0;
  while (sent < 12'000) {
    const double wanted = scene.Of(kOmniFeed).back().real(8);
    const auto playing = scene.Of(kOmniPlaying);
    const double played = playing.empty() ? 0 : static_cast<double>(scene.now_ms()) - playing[0].real(8);
    max_ahead = std::max(max_ahead, wanted - played);
    for (; sent + 100 <= wanted; sent += 100) Tone(scene, 1, 0, sent, 100);
    scene.Quiet(0.02);
    ASSERT_LT(scene.now_ms(), 20'000);
  }
  EXPECT_LT(max_ahead, 5000);
  End(scene, 1, 0, 1000);
  scene.Number(kOmniFinish, 1);
  ASSERT_TRUE(scene.Comes(kOmniPlayed, 8));
  EXPECT_NEAR(PlayedMs(scene.Of(kOmniPlayed)[0]), sent, 1) << "nothing of it was dropped";
}

TEST_F(OmniLaneFeedTest, ItsOwnVoiceFinishesTheTextOfAFeedThatEnded) {
  OmniScene scene(Fed);
  Order(scene, 1);
  scene.Number(kOmniFinish, 1);
  ASSERT_TRUE(scene.Comes(kOmniFeed, 0.1));
  Tone(scene, 1, 0, 0, 600);
  ASSERT_TRUE(scene.Comes(kOmniPlaying, 1));
  scene.Quiet(1);
  const int64_t ended = scene.now_ms();
  End(scene, 1, 0, 34);
  scene.Quiet(0.4);
  EXPECT_GT(scene.LoudestSince(ended), 0.02f) << "within 400 ms";
  ASSERT_TRUE(scene.Comes(kOmniPlayed, 10));
  const auto played = scene.Of(kOmniPlayed)[0];
  EXPECT_EQ(played.number(4), 1u) << "one segment";
  EXPECT_GT(PlayedMs(played), 600 + 1500);
  EXPECT_LT(PlayedMs(played), 600 + 5000) << "the rest alone";
}

TEST_F(OmniLaneFeedTest, ItsOwnVoiceSpeaksAllWhereNothingWasFed) {
  OmniScene scene(Fed);
  Order(scene, 1);
  scene.Number(kOmniFinish, 1);
  ASSERT_TRUE(scene.Comes(kOmniFeed, 0.1));
  End(scene, 1, 0, 0);
  ASSERT_TRUE(scene.Comes(kOmniPlayed, 12));
  EXPECT_GT(PlayedMs(scene.Of(kOmniPlayed)[0]), 2500);
}

TEST_F(OmniLaneFeedTest, SpeechOfItsOwnFollowsWhatWasFed) {
  OmniScene scene(Fed);
  Order(scene, 1);
  scene.Speak(1, "Good morning.", true, 1);
  ASSERT_TRUE(scene.Comes(kOmniFeed, 0.1));
  Tone(scene, 1, 0, 0, 500);
  End(scene, 1, 0, 1000);
  ASSERT_TRUE(scene.Comes(kOmniPlayed, 6));
  const auto played = scene.Of(kOmniPlayed)[0];
  EXPECT_EQ(played.number(4), 2u);
  EXPECT_NEAR(PlayedMs(played, 0), 500, 1);
  EXPECT_GT(PlayedMs(played, 1), 400);
}

TEST_F(OmniLaneFeedTest, WhatComesForASpeechThatWasInterruptedIsDropped) {
  OmniScene scene(Fed);
  Order(scene, 1);
  ASSERT_TRUE(scene.Comes(kOmniFeed, 0.1));
  Tone(scene, 1, 0, 0, 2000);
  ASSERT_TRUE(scene.Comes(kOmniPlaying, 1));
  scene.Quiet(0.5);
  scene.Number(kOmniInterrupt, 0);
  ASSERT_TRUE(scene.Comes(kOmniInterrupted, 0.2));
  Tone(scene, 1, 0, 2000, 500);
  End(scene, 1, 0, 0);
  const int64_t interrupted = scene.now_ms();
  scene.Quiet(1);
  EXPECT_EQ(scene.LoudestSince(interrupted + 40), 0);
  Order(scene, 2);
  scene.Number(kOmniFinish, 2);
  scene.Quiet(0.1);
  Tone(scene, 2, 0, 0, 300);
  End(scene, 2, 0, 1000);
  ASSERT_TRUE(scene.Comes(kOmniPlayed, 3));
  EXPECT_NEAR(PlayedMs(scene.Of(kOmniPlayed)[0]), 300, 1);
}

TEST_F(OmniLaneFeedTest, AHeldFeedIsNotPlayedBeforeItsRelease) {
  OmniScene scene(Fed);
  Order(scene, 1, 0, "held");
  ASSERT_TRUE(scene.Comes(kOmniFeed, 0.1));
  Tone(scene, 1, 0, 0, 400);
  End(scene, 1, 0, 1000);
  scene.Number(kOmniFinish, 1);
  scene.Quiet(1);
  EXPECT_TRUE(scene.Of(kOmniPlaying).empty());
  scene.Number(kOmniRelease, 1);
  ASSERT_TRUE(scene.Comes(kOmniPlayed, 2));
  EXPECT_NEAR(PlayedMs(scene.Of(kOmniPlayed)[0]), 400, 1);
}

TEST_F(OmniLaneFeedTest, ALaneThatIsNotOpenedForItSpeaksTheTextItself) {
  OmniScene scene;
  Order(scene, 1);
  scene.Number(kOmniFinish, 1);
  ASSERT_TRUE(scene.Comes(kOmniPlayed, 12));
  EXPECT_TRUE(scene.Of(kOmniFeed).empty());
  EXPECT_GT(PlayedMs(scene.Of(kOmniPlayed)[0]), 2500);
}

}  // namespace
}  // namespace trunkline::omni
