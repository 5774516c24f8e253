// Tests the cache and its owners without models.
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
  void Put(const std::string& owner, const std::string& key, CachedSound sound = Sound(1000)) {
    Put(cache_, owner, key, std::move(sound));
  }
  static void Put(SoundCache& cache, const std::string& owner, const std::string& key, CachedSound sound) {
    (void)cache.Find(owner, key);
    cache.Put(cache.Find(owner, key).ticket, owner, key, std::move(sound));
  }
  bool Has(const std::string& owner, const std::string& key) {
    return cache_.Find(owner, key).sound != nullptr;
  }

  std::shared_ptr<base::ManualClock> clock_ = std::make_shared<base::ManualClock>(kMinute);
  SoundCache cache_{clock_,
                    {.bytes = 64'000, .owner_bytes = 24'000, .sound_bytes = 16'000, .owners = 3, .asked = 4}};
};

TEST_F(SoundCacheTest, ASoundIsKeptFromItsSecondTimeOn) {
  EXPECT_EQ(cache_.Find("a", "hello").ticket, 0U) << "most of what is said is said once";
  const auto second = cache_.Find("a", "hello");
  ASSERT_NE(second.ticket, 0U);
  EXPECT_EQ(second.sound, nullptr);
  cache_.Put(second.ticket, "a", "hello", Sound(1000, 0.25F));
  const auto third = cache_.Find("a", "hello");
  ASSERT_NE(third.sound, nullptr);
  EXPECT_EQ(third.sound->samples, std::vector<float>(1000, 0.25F));
  EXPECT_EQ(third.sound->rate, 24000);
  EXPECT_EQ(third.sound->pause_after_ms, 280);
  EXPECT_EQ(cache_.counts().asked, 3U);
  EXPECT_EQ(cache_.counts().found, 1U);
}

TEST_F(SoundCacheTest, NobodyIsGivenAnothersSound) {
  Put("a", "hello");
  const auto other = cache_.Find("b", "hello");
  EXPECT_EQ(other.sound, nullptr);
  EXPECT_EQ(other.ticket, 0U) << "that another asked for it is no reason to keep it";
  // A ticket is of its owner alone.
  cache_.Put(cache_.Find("a", "bye").ticket, "b", "bye", Sound(10));
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
  Put("a", "first", Sound(2500));
  Put("a", "second", Sound(2500));
  EXPECT_TRUE(Has("a", "first"));
  Put("a", "third", Sound(2500));
  EXPECT_FALSE(Has("a", "second"));
  EXPECT_TRUE(Has("a", "first"));
  EXPECT_TRUE(Has("a", "third"));
  EXPECT_LE(cache_.counts().bytes, 24'000U);
}

TEST_F(SoundCacheTest, WhatFitsIsFoundAlwaysHoweverOftenItGoesRound) {
  SoundCache cache(clock_);
  for (int round = 1; round <= 5; ++round) {
    for (int text = 0; text < 16; ++text) {
      const std::string key = std::to_string(text);
      const auto answer = cache.Find("a", key);
      EXPECT_EQ(answer.sound != nullptr, round > 2) << "ten seconds each, in the owner's 174";
      if (answer.ticket != 0) cache.Put(answer.ticket, "a", key, Sound(240'000));
    }
  }
  EXPECT_EQ(cache.counts().sounds, 16U);
}

TEST_F(SoundCacheTest, AllTogetherTakeNoMoreThanTheyMay) {
  for (const char* owner : {"a", "b", "c"}) {
    for (const char* key : {"one", "two", "three", "four"}) Put(owner, key, Sound(1500));
    EXPECT_LE(cache_.counts().bytes, 64'000U);
  }
  EXPECT_TRUE(Has("c", "four"));
  // A fourth owner takes the place of whoever asked longest ago, with all that is kept for them.
  clock_->Advance(kMinute);
  (void)cache_.Find("b", "x"), (void)cache_.Find("c", "x"), (void)cache_.Find("d", "x");
  EXPECT_FALSE(Has("a", "four"));
}

TEST_F(SoundCacheTest, WhatIsTooLargeIsNotKept) {
  Put("a", "long", Sound(4000));
  EXPECT_FALSE(Has("a", "long"));
  EXPECT_EQ(cache_.counts().bytes, 0U);
}

TEST_F(SoundCacheTest, WhatIsForgottenIsGoneAndWhatIsBeingMadeIsNotKept) {
  Put("a", "hello");
  Put("b", "hello");
  const uint64_t ticket = (cache_.Find("a", "bye"), cache_.Find("a", "bye").ticket);
  cache_.Forget("a");
  cache_.Put(ticket, "a", "bye", Sound(10));
  EXPECT_EQ(cache_.counts().sounds, 1U) << "that of the other owner";
  EXPECT_EQ(cache_.Find("a", "bye").ticket, 0U) << "not even that it was asked for is known";
  cache_.Put(ticket, "a", "bye", Sound(10));
  EXPECT_FALSE(Has("a", "bye"));
  EXPECT_TRUE(Has("b", "hello"));
  cache_.ForgetAll();
  EXPECT_EQ(cache_.counts().sounds, 0U);
  EXPECT_EQ(cache_.counts().bytes, 0U);
}

TEST_F(SoundCacheTest, WhatNobodyAsksForIsForgottenAfterAnHour) {
  Put("a", "hello");
  clock_->Advance(40 * kMinute);
  EXPECT_TRUE(Has("a", "hello"));
  clock_->Advance(40 * kMinute);
  EXPECT_EQ(cache_.counts().sounds, 1U);
  clock_->Advance(21 * kMinute);
  EXPECT_EQ(cache_.counts().sounds, 0U);
}

TEST_F(SoundCacheTest, WhatWasAskedForLongAgoIsForgotten) {
  (void)cache_.Find("a", "hello");
  for (const char* key : {"1", "2", "3", "4"}) (void)cache_.Find("a", key);
  EXPECT_EQ(cache_.Find("a", "hello").ticket, 0U);
}

TEST_F(SoundCacheTest, ManyMayAskAndKeepAndForgetAtOnce) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      for (int i = 0; i < 500; ++i) {
        const std::string owner(1, static_cast<char>('a' + (thread + i) % 4)), key = std::to_string(i % 7);
        const auto answer = cache_.Find(owner, key);
        const float level = static_cast<float>(owner[0]);
        if (answer.sound) ASSERT_EQ(answer.sound->samples, std::vector<float>(500, level));
        if (answer.ticket != 0) cache_.Put(answer.ticket, owner, key, Sound(500, level));
        if (i % 100 == 99) cache_.Forget(owner);
        ASSERT_LE(cache_.counts().bytes, 64'000U);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_GT(cache_.counts().found, 0U);
}

}  // namespace
}  // namespace trunkline::tts
