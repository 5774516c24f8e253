#include "lanes/omni/barge_in_detector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::omni {
namespace {

// Plays a scene of 10 ms ticks and notes what the detector does, as "duck@40".
struct Scene {
  explicit Scene(const BargeInOptions& options) : detector(options) {}

  void Run(int64_t ms, float level, float probability, bool playing = true) {
    if (!log.empty() && log.back() == "interrupted") return;
    for (int64_t end = now + ms; now < end; now += 10) {
      const BargeInSound sound{level, static_cast<uint64_t>(now / 32), probability, echo_dbfs, echo, others};
      const auto step = detector.Tick(now, sound, playing);
      if (step.duck) Note("duck");
      if (step.needs_text) {
        Note("ask");
        if (answers) detector.Heard(detector.suspicion(), answer, sure);
      }
      if (step.resume) Note("resume");
      // An interruption ends the scene.
      if (step.interrupt) {
        Note("interrupted");
        return;
      }
    }
  }
  void Note(const char* what) { log.push_back(what), times.push_back(now); }

  BargeInDetector detector;
  int64_t now = 0;
  TextVerdict answer = TextVerdict::kUnclear;
  bool answers = true;
  bool sure = false;
  float echo_dbfs = -127;
  bool echo = false;
  bool others = false;
  std::vector<std::string> log;
  std::vector<int64_t> times;
};

using Log = std::vector<std::string>;

TEST(BargeInDetector, InterruptsWithin300Ms) {
  Scene scene(BargeInNormal());
  scene.answer = TextVerdict::kTurn;
  scene.Run(500, -70, 0.02f);
  scene.Run(1000, -25, 0.95f);
  ASSERT_GE(scene.log.size(), 3u);
  EXPECT_EQ(scene.log[0], "duck");
  EXPECT_EQ(scene.log[2], "interrupted");
  EXPECT_LE(scene.times[0], 500 + 100);
  EXPECT_LE(scene.times[2] - scene.times[0], 300);
}

TEST(BargeInDetector, IgnoresAnotherVoiceAndInterruptsForTheCallers) {
  Scene scene(BargeInNormal());
  scene.answer = TextVerdict::kTurn;
  scene.others = true;
  scene.Run(2000, -25, 0.95f);
  EXPECT_EQ(scene.log, Log{});
  scene.others = false;
  scene.Run(500, -25, 0.95f);
  ASSERT_FALSE(scene.log.empty());
  EXPECT_EQ(scene.log.back(), "interrupted");
}

TEST(BargeInDetector, GivesTheFloorBackWhereASuspectedVoiceTurnsOutToBeAnothers) {
  Scene scene(BargeInNormal());
  scene.answers = false;
  scene.Run(200, -25, 0.95f);
  ASSERT_EQ(scene.log, Log{"duck"});
  scene.others = true;
  scene.Run(1500, -25, 0.95f);
  EXPECT_EQ(scene.log, (Log{"duck", "resume"}));
}

TEST(BargeInDetector, TellsWhetherALookIsStillWanted) {
  Scene scene(BargeInNormal());
  scene.answers = false;
  EXPECT_FALSE(scene.detector.asking());
  scene.Run(420, -25, 0.95f);
  ASSERT_EQ(scene.log, (Log{"duck", "ask"}));
  EXPECT_TRUE(scene.detector.asking());
  scene.detector.Heard(scene.detector.suspicion() - 1, TextVerdict::kTurn);
  EXPECT_TRUE(scene.detector.asking()) << "that was of an older sound";
  scene.detector.Heard(scene.detector.suspicion(), TextVerdict::kBackchannel);
  EXPECT_FALSE(scene.detector.asking());

  Scene stopped(BargeInNormal());
  stopped.answers = false;
  stopped.Run(420, -25, 0.95f);
  stopped.Run(10, -25, 0.95f, false);
  EXPECT_FALSE(stopped.detector.asking()) << "the agent has stopped by itself";
}

TEST(BargeInDetector, WaitsForALateAnswerAndInterruptsWithoutOne) {
  Scene late(BargeInNormal());
  late.answers = false;
  late.Run(420, -25, 0.95f);
  ASSERT_EQ(late.log, (Log{"duck", "ask"}));
  late.detector.Heard(late.detector.suspicion(), TextVerdict::kBackchannel);
  late.Run(20, -25, 0.95f);
  EXPECT_EQ(late.log.at(2), "resume");

  Scene never(BargeInNormal());
  never.answers = false;
  never.Run(700, -25, 0.95f);
  ASSERT_EQ(never.log, (Log{"duck", "ask", "interrupted"}));
  EXPECT_LE(never.times[2] - never.times[0], 450);
}

TEST(BargeInDetector, SuspectsNothingThatIsOverAtOnce) {
  Scene scene(BargeInNormal());
  scene.Run(50, -25, 0.95f);
  scene.Run(400, -70, 0.95f);
  EXPECT_EQ(scene.log, Log{});
}

TEST(BargeInDetector, WantsAClearAnswerAtFirstAndTakesAnyAtLast) {
  BargeInDetector detector(BargeInNormal());
  std::vector<float> confidence_margin;
  int64_t suspected = -1;
  for (int64_t now = 0; now < 500; now += 10) {
    const BargeInStep step =
        detector.Tick(now, {-25, static_cast<uint64_t>(now / 32), 0.95f, -127, false}, true);
    if (step.duck) suspected = now;
    if (step.interrupt) {
      EXPECT_LE(now - suspected, 300);
      break;
    }
    if (!step.needs_text) continue;
    confidence_margin.push_back(step.confidence_margin);
    detector.Heard(detector.suspicion(), TextVerdict::kUnclear);
  }
  ASSERT_EQ(confidence_margin.size(), 3u);
  EXPECT_EQ(confidence_margin.front(), 1.0f);
  EXPECT_EQ(confidence_margin.back(), 0.0f);
  EXPECT_GT(confidence_margin[0], confidence_margin[1]);
}

TEST(BargeInDetector, DecidesSoonerWhereTheSoundHadLastedBeforeItWasSuspected) {
  Scene scene(BargeInNormal());
  scene.Run(160, -25, 0.1f);
  scene.Run(500, -25, 0.95f);
  EXPECT_EQ(scene.log.back(), "interrupted");
  EXPECT_LE(scene.times.back(), 390);
}

TEST(BargeInDetector, AsksAgainAfterAnUnclearResultAndThenInterrupts) {
  Scene scene(BargeInNormal());
  scene.Run(500, -25, 0.95f);
  ASSERT_GE(scene.log.size(), 4u);
  EXPECT_EQ(scene.log[1], "ask");
  EXPECT_EQ(scene.log[2], "ask");
  EXPECT_EQ(scene.log.back(), "interrupted");
  EXPECT_LE(scene.times.back() - scene.times[0], 350);
}

TEST(BargeInDetector, AShortWordIsLookedAtWhenItHasEnded) {
  Scene scene(BargeInNormal());
  scene.answer = TextVerdict::kTurn;
  scene.Run(180, -25, 0.95f);
  scene.Run(300, -70, 0.02f);
  EXPECT_EQ(scene.log, (Log{"duck", "ask", "interrupted"}));
}

TEST(BargeInDetector, LowersTheAgentBeforeItSuspectsAndDecidesAsIfItHadNot) {
  Scene bold(BargeInNormal()), shy([] {
    BargeInOptions options;
    options.duck.min_ms = 10'000;
    return options;
  }());
  for (Scene* scene : {&bold, &shy}) {
    scene->Run(1000, -70, 0.02f);
    scene->Run(60, -30, 0.3f);
    scene->Run(500, -30, 0.95f);
  }
  ASSERT_EQ(bold.log, shy.log) << "lowered once, and by the suspicion only where it was not yet";
  EXPECT_LT(bold.times[0], shy.times[0]);
  for (size_t i = 1; i < bold.times.size(); ++i) EXPECT_EQ(bold.times[i], shy.times[i]);
}

TEST(BargeInDetector, LetsTheAgentComeUpWhenNothingIsSuspected) {
  Scene scene(BargeInNormal());
  scene.Run(1000, -70, 0.02f);
  scene.Run(100, -30, 0.3f);
  scene.Run(500, -70, 0.02f);
  EXPECT_EQ(scene.log, (Log{"duck", "resume"}));
}

TEST(BargeInDetector, ForgetsItsDuckWhenTheAgentIsInterruptedOtherwise) {
  Scene scene(BargeInNormal());
  scene.Run(1000, -70, 0.02f);
  scene.Run(80, -30, 0.3f);
  ASSERT_EQ(scene.log, Log{"duck"});
  scene.Run(20, -30, 0.3f, false);
  scene.Run(100, -30, 0.95f);
  EXPECT_EQ(scene.log, (Log{"duck", "duck"})) << "the next speech is lowered by the suspicion";
}

TEST(BargeInDetector, AStopInAWordDoesNotEndIt) {
  Scene scene(BargeInNormal());
  scene.answer = TextVerdict::kTurn;
  scene.Run(90, -25, 0.95f);
  scene.Run(110, -60, 0.97f);
  scene.Run(300, -25, 0.97f);
  EXPECT_EQ(scene.log.front(), "duck");
  EXPECT_EQ(scene.log.back(), "interrupted");
  for (const std::string& step : scene.log) EXPECT_NE(step, "resume");
}

TEST(BargeInDetector, ABurstOfNoiseIsNotLookedAt) {
  Scene scene(BargeInNormal());
  scene.answer = TextVerdict::kTurn;
  scene.Run(80, -25, 0.95f);
  scene.Run(400, -70, 0.02f);
  EXPECT_EQ(scene.log, (Log{"duck", "resume"}));
}

TEST(BargeInDetector, OtherWordsAfterASignOfListeningInterrupt) {
  Scene scene(BargeInNormal());
  scene.answer = TextVerdict::kBackchannel;
  scene.Run(360, -25, 0.95f);
  ASSERT_EQ(scene.log.at(2), "resume");
  scene.answer = TextVerdict::kTurn;
  scene.Run(300, -25, 0.95f);
  EXPECT_EQ(scene.log.back(), "interrupted");
}

TEST(BargeInDetector, OneClearLookAtOtherWordsEndsASignOfListening) {
  for (const bool sure : {false, true}) {
    Scene scene(BargeInNormal());
    scene.answer = TextVerdict::kBackchannel;
    while (scene.log.empty() || scene.log.back() != "resume") scene.Run(10, -25, 0.95f);
    const int64_t resumed = scene.times.back();
    scene.answer = TextVerdict::kTurn;
    scene.sure = sure;
    scene.Run(300, -25, 0.95f);
    ASSERT_EQ(scene.log.back(), "interrupted");
    EXPECT_EQ(scene.times.back() - resumed > 100, !sure);
  }
}

TEST(BargeInDetector, OneOtherLookIntoASignOfListeningIsForgiven) {
  Scene scene(BargeInNormal());
  scene.answer = TextVerdict::kBackchannel;
  scene.Run(360, -25, 0.95f);
  ASSERT_EQ(scene.log.at(2), "resume");
  scene.answer = TextVerdict::kTurn;
  const size_t looks = scene.log.size();
  while (scene.log.size() == looks) scene.Run(10, -25, 0.95f);
  scene.answer = TextVerdict::kBackchannel;
  scene.Run(150, -25, 0.95f);
  scene.answer = TextVerdict::kTurn;
  scene.Run(600, -70, 0.02f);
  EXPECT_EQ(scene.log.back(), "ask") << "what the word was after all is told by its final";
}

TEST(BargeInDetector, ResumesAfterASignOfListening) {
  Scene scene(BargeInNormal());
  scene.answer = TextVerdict::kBackchannel;
  scene.Run(380, -25, 0.95f);
  scene.Run(600, -70, 0.02f);
  ASSERT_GE(scene.log.size(), 3u);
  EXPECT_EQ(scene.log[0], "duck");
  EXPECT_EQ(scene.log[1], "ask");
  EXPECT_EQ(scene.log[2], "resume");
  for (size_t i = 3; i < scene.log.size(); ++i) EXPECT_EQ(scene.log[i], "ask");
}

TEST(BargeInDetector, ASignOfListeningThatGoesOnIsAnInterruption) {
  Scene scene(BargeInNormal());
  scene.answer = TextVerdict::kBackchannel;
  scene.Run(1200, -25, 0.95f);
  EXPECT_EQ(scene.log.at(2), "resume");
  EXPECT_EQ(scene.log.back(), "interrupted");
  EXPECT_GE(scene.times.back(), 880);
}

TEST(BargeInDetector, AnEchoIsLeftAlone) {
  Scene scene(BargeInNormal());
  scene.answer = TextVerdict::kTurn;
  scene.Run(80, -35, 0.9f);
  ASSERT_EQ(scene.log, (Log{"duck"}));
  scene.echo = true;
  scene.Run(300, -35, 0.9f);
  EXPECT_EQ(scene.log.at(1), "resume");
}

TEST(BargeInDetector, ACallerIsHeardAboveTheExpectedEchoOnly) {
  Scene scene(BargeInNormal());
  scene.echo_dbfs = -33;
  scene.Run(1000, -30, 0.95f);
  EXPECT_TRUE(scene.log.empty());
  scene.Run(200, -22, 0.95f);
  EXPECT_EQ(scene.log, (Log{"duck"}));
}

TEST(BargeInDetector, NoiseAndQuietVoicesDoNotDuck) {
  Scene scene(BargeInNormal());
  scene.Run(1000, -20, 0.2f);
  scene.Run(1000, -48, 0.95f);
  EXPECT_TRUE(scene.log.empty());
}

TEST(BargeInDetector, SensitivityMovesTheGate) {
  Scene high(BargeInHigh()), normal(BargeInNormal()), low(BargeInLow()), number(BargeInGate(-48));
  for (Scene* scene : {&high, &normal, &low, &number}) scene->Run(60 + 40, -46, 0.95f);
  EXPECT_EQ(high.log.size(), 1u);
  EXPECT_TRUE(normal.log.empty());
  EXPECT_TRUE(low.log.empty());
  EXPECT_EQ(number.log.size(), 1u);
  Scene deliberate(BargeInLow());
  deliberate.Run(150, -38, 0.95f);
  EXPECT_TRUE(deliberate.log.empty());
}

TEST(BargeInDetector, NothingHappensWhileTheAgentIsSilent) {
  Scene scene(BargeInNormal());
  scene.Run(2000, -20, 0.99f, false);
  EXPECT_TRUE(scene.log.empty());
}

TEST(BargeInDetector, ALateAnswerToAnOldQuestionChangesNothing) {
  Scene scene(BargeInNormal());
  scene.Run(100, -25, 0.95f);
  scene.answer = TextVerdict::kTurn;
  scene.detector.Heard(scene.detector.suspicion() + 1, TextVerdict::kBackchannel);
  scene.Run(300, -25, 0.95f);
  EXPECT_EQ(scene.log, (Log{"duck", "ask", "interrupted"}));
}

}  // namespace
}  // namespace trunkline::omni
