// What is kept of sounds, and of whose: without models.
#include "tts/sound_cache.h"

#include <gtest/gtest.h>

#include <thread>

namespace trunkline::tts {
namespace {

constexpr int64_t kMinute = 60'000 * base::kNanosPerMilli;

CachedSound Sound(size_t samples, float level = 0.5F) {
  return {24000, 280, true, std::vector<float>(samples, level)};
}

class SoundCacheTest : public testing::Test {
 protected:
  // Asked for twice, and kept.
  void Keep(const std::string& owner, const std::string& key, CachedSound sound = Sound(1000)) {
    Keep(kept_, owner, key, std::move(sound));
  }
  static void Keep(SoundCache& kept, const std::string& owner, const std::string& key, CachedSound sound) {
    (void)kept.Ask(owner, key);
    kept.Keep(kept.Ask(owner, key).ticket, owner, key, std::move(sound));
  }
  bool Has(const std::string& owner, const std::string& key) {
    return kept_.Ask(owner, key).sound != nullptr;
  }

  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>(kMinute);
  SoundCache kept_{clock_,
                   {.bytes = 64'000, .owner_bytes = 24'000, .sound_bytes = 16'000, .owners = 3, .asked = 4}};
};

TEST_F(SoundCacheTest, ASoundIsKeptFromItsSecondTimeOn) {
  EXPECT_EQ(kept_.Ask("a", "hello").ticket, 0U) << "most of what is said is said once";
  const auto second = kept_.Ask("a", "hello");
  ASSERT_NE(second.ticket, 0U);
  EXPECT_EQ(second.sound, nullptr);
  kept_.Keep(second.ticket, "a", "hello", Sound(1000, 0.25F));
  const auto third = kept_.Ask("a", "hello");
  ASSERT_NE(third.sound, nullptr);
  EXPECT_EQ(third.sound->samples, std::vector<float>(1000, 0.25F));
  EXPECT_EQ(third.sound->rate, 24000);
  EXPECT_EQ(third.sound->pause_after_ms, 280);
  EXPECT_EQ(kept_.counts().asked, 3U);
  EXPECT_EQ(kept_.counts().found, 1U);
}

TEST_F(SoundCacheTest, NobodyIsGivenAnothersSound) {
  Keep("a", "hello");
  const auto other = kept_.Ask("b", "hello");
  EXPECT_EQ(other.sound, nullptr);
  EXPECT_EQ(other.ticket, 0U) << "that another asked for it is no reason to keep it";
  // A ticket is of its owner alone.
  kept_.Keep(kept_.Ask("a", "bye").ticket, "b", "bye", Sound(10));
  EXPECT_FALSE(Has("b", "bye"));
}

TEST_F(SoundCacheTest, TheKeyHoldsEveryValueOfTheVoiceAndTheTextAndThePiperSeed) {
  VoiceSpec voice;
  voice.styles = {{"af_heart", 0.5F}, {"af_bella", 0.5F}};
  std::vector<VoiceSpec> others(10, voice);
  others[0].model = VoiceModel::kPiper;
  others[1].lang = text::Lang::kFr;
  others[2].accent = "en-gb";
  others[3].styles = {{"af_heart", 1}};
  others[4].styles[0].share = 0.4F;
  others[5].speed = 1.1F;
  others[6].pitch = 1.1F;
  others[7].range = 1.1F;
  others[8].gain_db = 1;
  others[9].tilt_db = 1;
  const std::string key = SoundCache::KeyOf(voice, "Hello.", 1);
  EXPECT_EQ(SoundCache::KeyOf(voice, "Hello.", 1), key);
  for (const VoiceSpec& other : others) EXPECT_NE(SoundCache::KeyOf(other, "Hello.", 1), key);
  EXPECT_NE(SoundCache::KeyOf(voice, "Hello!", 1), key);
  EXPECT_EQ(SoundCache::KeyOf(voice, "Hello.", 2), key) << "Kokoro says a text one way";
  EXPECT_NE(SoundCache::KeyOf(others[0], "Hello.", 2), SoundCache::KeyOf(others[0], "Hello.", 1));
}

TEST_F(SoundCacheTest, AnOwnersSoundsTakeNoMoreThanTheirShareAndTheLongestUnusedGoes) {
  Keep("a", "first", Sound(2500));
  Keep("a", "second", Sound(2500));
  EXPECT_TRUE(Has("a", "first"));
  Keep("a", "third", Sound(2500));
  EXPECT_FALSE(Has("a", "second"));
  EXPECT_TRUE(Has("a", "first"));
  EXPECT_TRUE(Has("a", "third"));
  EXPECT_LE(kept_.counts().bytes, 24'000U);
}

TEST_F(SoundCacheTest, WhatFitsIsFoundAlwaysHoweverOftenItGoesRound) {
  SoundCache kept(clock_);
  for (int round = 1; round <= 5; ++round) {
    for (int text = 0; text < 16; ++text) {
      const std::string key = std::to_string(text);
      const auto answer = kept.Ask("a", key);
      EXPECT_EQ(answer.sound != nullptr, round > 2) << "ten seconds each, in the owner's 174";
      if (answer.ticket != 0) kept.Keep(answer.ticket, "a", key, Sound(240'000));
    }
  }
  EXPECT_EQ(kept.counts().sounds, 16U);
}

TEST_F(SoundCacheTest, AllTogetherTakeNoMoreThanTheyMay) {
  for (const char* owner : {"a", "b", "c"}) {
    for (const char* key : {"one", "two", "three", "four"}) Keep(owner, key, Sound(1500));
    EXPECT_LE(kept_.counts().bytes, 64'000U);
  }
  EXPECT_TRUE(Has("c", "four"));
  // A fourth owner takes the place of whoever asked longest ago, with all that is kept for them.
  clock_->Advance(kMinute);
  (void)kept_.Ask("b", "x"), (void)kept_.Ask("c", "x"), (void)kept_.Ask("d", "x");
  EXPECT_FALSE(Has("a", "four"));
}

TEST_F(SoundCacheTest, WhatIsTooLargeIsNotKept) {
  Keep("a", "long", Sound(4000));
  EXPECT_FALSE(Has("a", "long"));
  EXPECT_EQ(kept_.counts().bytes, 0U);
}

TEST_F(SoundCacheTest, WhatIsForgottenIsGoneAndWhatIsBeingMadeIsNotKept) {
  Keep("a", "hello");
  Keep("b", "hello");
  const uint64_t ticket = (kept_.Ask("a", "bye"), kept_.Ask("a", "bye").ticket);
  kept_.Forget("a");
  kept_.Keep(ticket, "a", "bye", Sound(10));
  EXPECT_EQ(kept_.counts().sounds, 1U) << "that of the other owner";
  EXPECT_EQ(kept_.Ask("a", "bye").ticket, 0U) << "not even that it was asked for is known";
  kept_.Keep(ticket, "a", "bye", Sound(10));
  EXPECT_FALSE(Has("a", "bye"));
  EXPECT_TRUE(Has("b", "hello"));
  kept_.ForgetAll();
  EXPECT_EQ(kept_.counts().sounds, 0U);
  EXPECT_EQ(kept_.counts().bytes, 0U);
}

TEST_F(SoundCacheTest, WhatNobodyAsksForIsForgottenAfterAnHour) {
  Keep("a", "hello");
  clock_->Advance(40 * kMinute);
  EXPECT_TRUE(Has("a", "hello"));
  clock_->Advance(40 * kMinute);
  EXPECT_EQ(kept_.counts().sounds, 1U);
  clock_->Advance(21 * kMinute);
  EXPECT_EQ(kept_.counts().sounds, 0U);
}

TEST_F(SoundCacheTest, WhatWasAskedForLongAgoIsForgotten) {
  (void)kept_.Ask("a", "hello");
  for (const char* key : {"1", "2", "3", "4"}) (void)kept_.Ask("a", key);
  EXPECT_EQ(kept_.Ask("a", "hello").ticket, 0U);
}

TEST_F(SoundCacheTest, ManyMayAskAndKeepAndForgetAtOnce) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      for (int i = 0; i < 500; ++i) {
        const std::string owner(1, static_cast<char>('a' + (thread + i) % 4)), key = std::to_string(i % 7);
        const auto answer = kept_.Ask(owner, key);
        const float level = static_cast<float>(owner[0]);
        if (answer.sound) ASSERT_EQ(answer.sound->samples, std::vector<float>(500, level));
        if (answer.ticket != 0) kept_.Keep(answer.ticket, owner, key, Sound(500, level));
        if (i % 100 == 99) kept_.Forget(owner);
        ASSERT_LE(kept_.counts().bytes, 64'000U);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_GT(kept_.counts().found, 0U);
}

}  // namespace
}  // namespace trunkline::tts
