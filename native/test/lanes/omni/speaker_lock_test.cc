#include "lanes/omni/speaker_lock.h"

#include <gtest/gtest.h>

namespace trunkline::omni {
namespace {

// Voices that are unlike each other: each along a direction of its own.
VoiceVector VoiceOf(size_t who) {
  VoiceVector vector{};
  vector[who] = 1;
  return vector;
}

UtteranceVoice Said(size_t who, float loud_dbfs, double speech_s = 1.5, bool under_agent = false) {
  return {.speech_s = speech_s,
          .loud_dbfs = loud_dbfs,
          .vector = VoiceOf(who),
          .vector_s = speech_s,
          .under_agent = under_agent};
}

UtteranceVoice Short(float loud_dbfs, bool under_agent = false) {
  return {.speech_s = 0.4, .loud_dbfs = loud_dbfs, .vector = {}, .vector_s = 0, .under_agent = under_agent};
}

// Takes an utterance as a call does: without its vector where the level decides, which is learned afterwards.
bool Take(SpeakerLock& lock, const UtteranceVoice& voice) {
  if (lock.NeedsVector(voice)) return lock.Take(voice);
  UtteranceVoice early = voice;
  early.vector.reset();
  const bool heard = lock.Take(early);
  if (heard) lock.Learn(voice);
  return heard;
}

constexpr float kLoud = -18, kQuiet = -28;
constexpr size_t kCaller = 0, kOther = 1, kThird = 2;

SpeakerLock Locked() {
  SpeakerLock lock(true);
  Take(lock, Said(kCaller, kLoud));
  Take(lock, Said(kCaller, kLoud));
  return lock;
}

TEST(SpeakerLock, HoldsFromTheCallersFirstSecondsOn) {
  SpeakerLock lock(true);
  EXPECT_TRUE(Take(lock, Short(kLoud)));
  EXPECT_FALSE(lock.locked());
  EXPECT_TRUE(Take(lock, Said(kCaller, kLoud)));
  EXPECT_FALSE(lock.locked()) << "less than two seconds of speech";
  EXPECT_FALSE(lock.gate());
  EXPECT_TRUE(Take(lock, Said(kCaller, kLoud)));
  ASSERT_TRUE(lock.locked());
  EXPECT_FLOAT_EQ(lock.gate()->loud_dbfs, kLoud - SpeakerLock::kQuieterDb);
}

TEST(SpeakerLock, TakesTheLoudestVoiceOfTheFirstSecondsForTheCallers) {
  SpeakerLock lock(true);
  EXPECT_TRUE(Take(lock, Said(kOther, kQuiet)));
  EXPECT_TRUE(Take(lock, Said(kCaller, kLoud)));
  EXPECT_FALSE(lock.locked()) << "the television before does not count";
  EXPECT_TRUE(Take(lock, Said(kOther, kQuiet)));
  EXPECT_TRUE(Take(lock, Said(kCaller, kLoud)));
  ASSERT_TRUE(lock.locked());
  EXPECT_FLOAT_EQ(lock.gate()->loud_dbfs, kLoud - SpeakerLock::kQuieterDb);
  EXPECT_TRUE(lock.IsCallers(VoiceOf(kCaller), 2));
  EXPECT_FALSE(lock.IsCallers(VoiceOf(kOther), 2));
}

TEST(SpeakerLock, LearnsNothingOfWhatIsSaidUnderTheAgentsVoice) {
  SpeakerLock lock(true);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Take(lock, Said(kOther, kLoud, 1.5, true)));
  EXPECT_FALSE(lock.locked());
}

TEST(SpeakerLock, LeavesOutAQuieterVoiceThatIsNotTheCallers) {
  SpeakerLock lock = Locked();
  EXPECT_TRUE(lock.NeedsVector(Said(kOther, kQuiet)));
  EXPECT_FALSE(Take(lock, Said(kOther, kQuiet)));
  EXPECT_FALSE(Take(lock, Said(kOther, kQuiet, 1.5, true)));
  EXPECT_TRUE(Take(lock, Said(kCaller, kQuiet))) << "the caller speaks softly";
}

TEST(SpeakerLock, KeepsWhatIsTooShortForAVoiceUnlessTheAgentSpeaks) {
  SpeakerLock lock = Locked();
  EXPECT_TRUE(Take(lock, Short(kQuiet)));
  EXPECT_FALSE(Take(lock, Short(kQuiet, true)));
}

TEST(SpeakerLock, TakesWhoeverIsAsLoudAsTheCaller) {
  SpeakerLock lock = Locked();
  EXPECT_FALSE(lock.NeedsVector(Said(kOther, kLoud - 3)));
  EXPECT_TRUE(Take(lock, Said(kOther, kLoud - 3)));
}

// Somebody who was given the telephone and speaks as loud is heard at once, and is the caller after five seconds.
TEST(SpeakerLock, FollowsTheTelephoneToAnotherVoice) {
  SpeakerLock lock = Locked();
  EXPECT_TRUE(Take(lock, Said(kOther, kLoud, 2)));
  EXPECT_TRUE(Take(lock, Said(kOther, kLoud, 2)));
  EXPECT_FALSE(lock.IsCallers(VoiceOf(kOther), 2));
  EXPECT_TRUE(Take(lock, Said(kOther, kLoud, 2)));
  ASSERT_TRUE(lock.locked());
  EXPECT_TRUE(Take(lock, Said(kOther, kQuiet))) << "the new caller";
  EXPECT_FALSE(Take(lock, Said(kCaller, kQuiet))) << "who speaks in the background now";
}

// The first five seconds of a soft speaker are lost.
TEST(SpeakerLock, LearnsAnewFromAQuietVoiceThatSpeaksAlone) {
  SpeakerLock lock = Locked();
  EXPECT_FALSE(Take(lock, Said(kOther, kQuiet, 2)));
  EXPECT_FALSE(Take(lock, Said(kOther, kQuiet, 2)));
  EXPECT_TRUE(Take(lock, Said(kOther, kQuiet, 2)));
  EXPECT_TRUE(lock.IsCallers(VoiceOf(kOther), 2));
}

TEST(SpeakerLock, DoesNotReleaseForSeveralVoicesNorWhileTheCallerSpeaksBetween) {
  SpeakerLock lock = Locked();
  EXPECT_FALSE(Take(lock, Said(kOther, kQuiet, 3)));
  EXPECT_FALSE(Take(lock, Said(kThird, kQuiet, 3))) << "a television has several";
  EXPECT_TRUE(Take(lock, Said(kCaller, kLoud)));
  EXPECT_FALSE(Take(lock, Said(kThird, kQuiet, 3)));
}

TEST(SpeakerLock, DoesNotReleaseForAVoiceUnderTheAgents) {
  SpeakerLock lock = Locked();
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(Take(lock, Said(kOther, kQuiet, 3, true)));
}

// A voice between the caller's own turns is known to be another's, however loud.
TEST(SpeakerLock, LeavesOutALoudVoiceOnceTheCallerHasGoneOn) {
  SpeakerLock lock = Locked();
  EXPECT_TRUE(Take(lock, Said(kOther, kLoud)));
  EXPECT_FALSE(lock.knows_others());
  EXPECT_TRUE(Take(lock, Said(kCaller, kLoud)));
  EXPECT_TRUE(lock.IsKnownOthers(VoiceOf(kOther)));
  EXPECT_FALSE(lock.IsKnownOthers(VoiceOf(kCaller)));
  EXPECT_FALSE(Take(lock, Said(kOther, kLoud)));
  EXPECT_TRUE(Take(lock, Said(kThird, kLoud))) << "who is not known";
}

TEST(SpeakerLock, RaisesTheGateAboveOthersWhoseLevelIsKnown) {
  SpeakerLock lock = Locked();
  EXPECT_FALSE(Take(lock, Said(kOther, kLoud - 7)));
  EXPECT_FLOAT_EQ(lock.gate()->loud_dbfs, kLoud - 4);
}

TEST(SpeakerLock, TakesEverythingWhereItIsOff) {
  SpeakerLock lock(false);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Take(lock, Said(kCaller, kLoud)));
  EXPECT_TRUE(Take(lock, Said(kOther, kQuiet)));
  EXPECT_FALSE(lock.gate());
}

}  // namespace
}  // namespace trunkline::omni
