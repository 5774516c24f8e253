#include "lanes/omni/speaker_lock.h"

#include <gtest/gtest.h>

#include <cmath>

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

// A voice that is this similar to the caller's and to the other's.
UtteranceVoice Like(float callers, float others, float loud_dbfs, bool under_agent = false) {
  UtteranceVoice voice = Said(2, loud_dbfs, 1.5, under_agent);
  (*voice.vector)[0] = callers;
  (*voice.vector)[1] = others;
  (*voice.vector)[2] = std::sqrt(1 - callers * callers - others * others);
  return voice;
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
  EXPECT_TRUE(lock.IsCallers(Said(kCaller, kLoud, 2)));
  EXPECT_FALSE(lock.IsCallers(Said(kOther, kLoud, 2)));
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

TEST(SpeakerLock, LeavesOutWhatIsTooShortForAVoiceAndNoLouderThanOthers) {
  SpeakerLock lock = Locked();
  EXPECT_FALSE(Take(lock, Said(kOther, kLoud - 10)));
  EXPECT_FALSE(Take(lock, Short(kLoud - 8)));
  EXPECT_TRUE(Take(lock, Short(kLoud - 5))) << "not quieter than the caller";
}

TEST(SpeakerLock, LeavesOutShortSpeechThatIsRatherAKnownOthers) {
  SpeakerLock lock = Locked();
  EXPECT_FALSE(lock.NeedsVector(Said(kOther, kLoud, 0.5))) << "nobody else is known";
  EXPECT_FALSE(Take(lock, Said(kOther, kQuiet)));
  EXPECT_FALSE(lock.NeedsVector(Said(kOther, kLoud, 0.2)));
  EXPECT_FALSE(Take(lock, Said(kOther, kLoud, 0.5)));
  EXPECT_TRUE(Take(lock, Said(kCaller, kLoud, 0.5)));
  EXPECT_TRUE(Take(lock, Said(kThird, kLoud, 0.5))) << "who is like neither";
}

// The caller is rarely so much quieter, so the voice has to be more alike.
TEST(SpeakerLock, TakesASoftVoiceForTheCallersOnlyWhereItIsMoreAlike) {
  SpeakerLock lock = Locked();
  UtteranceVoice alike = Like(0.6f, 0, kLoud - 5);
  EXPECT_TRUE(lock.IsCallers(alike));
  alike.loud_dbfs = kLoud - 10;
  EXPECT_FALSE(lock.IsCallers(alike));
  alike.vector = VoiceOf(kCaller);
  EXPECT_TRUE(lock.IsCallers(alike));
}

TEST(SpeakerLock, LearnsNoVoiceOfSoftSpeech) {
  SpeakerLock lock = Locked();
  UtteranceVoice soft = Said(kCaller, kLoud - 7, 2);
  (*soft.vector)[kCaller] = 0.8f;
  (*soft.vector)[kOther] = 0.6f;
  EXPECT_TRUE(Take(lock, soft));
  UtteranceVoice third = Said(kOther, kLoud, 2);
  (*third.vector)[kOther] = 0.9f;
  (*third.vector)[kCaller] = 0.435f;
  EXPECT_FALSE(lock.IsCallers(third));
}

// Whoever was given the telephone is heard once the agent has finished.
TEST(SpeakerLock, LeavesOutALoudVoiceThatBeganUnderTheAgents) {
  SpeakerLock lock = Locked();
  EXPECT_TRUE(lock.NeedsVector(Said(kOther, kLoud, 2, true)));
  EXPECT_FALSE(Take(lock, Said(kOther, kLoud, 2, true)));
  EXPECT_TRUE(lock.knows_others());
  EXPECT_TRUE(Take(lock, Said(kCaller, kLoud, 2, true)));
  EXPECT_FALSE(Take(lock, Said(kOther, kLoud, 2)));
  EXPECT_FALSE(Take(lock, Said(kOther, kLoud, 2)));
  EXPECT_TRUE(Take(lock, Said(kOther, kLoud, 2))) << "alone for longer than five seconds";
}

// An interruption has little speech for a vector, and its level is the caller's.
TEST(SpeakerLock, LeavesOutALoudVoiceUnderTheAgentsOnlyWhereItIsUnlikeTheCallers) {
  const UtteranceVoice doubtful = Like(0.45f, 0, kLoud, true);
  SpeakerLock lock = Locked();
  EXPECT_FALSE(lock.IsCallers(doubtful));
  EXPECT_TRUE(Take(lock, doubtful));
  UtteranceVoice brief = Said(kOther, kLoud, 1.2, true);
  brief.vector_s = 0.5;
  EXPECT_TRUE(Take(lock, brief)) << "a vector of too little speech";
  EXPECT_FALSE(lock.knows_others());
  EXPECT_FALSE(Take(lock, Like(0.45f, 0, kLoud - 4, true))) << "quieter";
  EXPECT_TRUE(lock.knows_others());
}

TEST(SpeakerLock, TakesASofterVoiceUnderTheAgentsWhereItIsRatherTheCallersThanAKnownOthers) {
  SpeakerLock lock = Locked();
  const UtteranceVoice softer = Like(0.5f, 0, kLoud - 5, true);
  EXPECT_FALSE(lock.IsCallers(softer)) << "not alike enough for its level";
  EXPECT_FALSE(Take(lock, Said(kOther, kQuiet)));
  EXPECT_TRUE(lock.IsCallers(softer));
  EXPECT_FALSE(lock.IsCallers(Like(0.5f, 0.4f, kLoud - 5, true)));
}

TEST(SpeakerLock, TakesALoudVoiceThatIsAboutAsMuchLikeAKnownOthers) {
  SpeakerLock lock = Locked();
  EXPECT_FALSE(Take(lock, Said(kOther, kQuiet)));
  EXPECT_TRUE(lock.IsCallers(Like(0.5f, 0.6f, kLoud)));
  EXPECT_FALSE(lock.IsCallers(Like(0.5f, 0.7f, kLoud)));
  EXPECT_FALSE(lock.IsCallers(Like(0.5f, 0.6f, kLoud - 4)));
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
  EXPECT_FALSE(lock.IsCallers(Said(kOther, kLoud, 2)));
  EXPECT_TRUE(Take(lock, Said(kOther, kLoud, 2)));
  ASSERT_TRUE(lock.locked());
  EXPECT_TRUE(Take(lock, Said(kOther, kQuiet))) << "the new caller";
  EXPECT_FALSE(Take(lock, Said(kCaller, kQuiet))) << "who speaks in the background now";
}

// A television is quieter than the caller, so a voice that is has to speak alone for longer.
TEST(SpeakerLock, LearnsAnewFromAQuietVoiceThatSpeaksAloneForFifteenSeconds) {
  SpeakerLock lock = Locked();
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(Take(lock, Said(kOther, kQuiet, 3)));
  EXPECT_TRUE(Take(lock, Said(kOther, kQuiet, 3)));
  EXPECT_TRUE(lock.IsCallers(Said(kOther, kQuiet, 2)));
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
