#include "lanes/omni/barge_judge.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::omni {
namespace {

// Plays a scene of 10 ms ticks and notes what the judge does, as "duck@40".
struct Scene {
  explicit Scene(const BargeOptions& options) : judge(options) {}

  void Run(int64_t ms, float level, float probability, bool playing = true) {
    if (!log.empty() && log.back() == "interrupted") return;
    for (int64_t end = now + ms; now < end; now += 10) {
      const BargeSound sound{level, static_cast<uint64_t>(now / 32), probability, echo_dbfs, echo, others};
      const auto step = judge.Tick(now, sound, playing);
      if (step.duck) Note("duck");
      if (step.needs_text) {
        Note("ask");
        if (answers) judge.Heard(judge.suspicion(), answer, sure);
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

  BargeJudge judge;
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

TEST(BargeJudge, CutsARealInterruptionWithin300Ms) {
  Scene scene(BargeNormal());
  scene.answer = TextVerdict::kTurn;
  scene.Run(500, -70, 0.02f);
  scene.Run(1000, -25, 0.95f);
  ASSERT_GE(scene.log.size(), 3u);
  EXPECT_EQ(scene.log[0], "duck");
  EXPECT_EQ(scene.log[2], "interrupted");
  EXPECT_LE(scene.times[0], 500 + 100);
  EXPECT_LE(scene.times[2] - scene.times[0], 300);
}

TEST(BargeJudge, DoesNothingForAnothersVoiceAndCutsOnceItIsTheCallers) {
  Scene scene(BargeNormal());
  scene.answer = TextVerdict::kTurn;
  scene.others = true;
  scene.Run(2000, -25, 0.95f);
  EXPECT_EQ(scene.log, Log{});
  scene.others = false;
  scene.Run(500, -25, 0.95f);
  ASSERT_FALSE(scene.log.empty());
  EXPECT_EQ(scene.log.back(), "interrupted");
}

TEST(BargeJudge, GivesTheFloorBackWhereASuspectedVoiceTurnsOutToBeAnothers) {
  Scene scene(BargeNormal());
  scene.answers = false;
  scene.Run(200, -25, 0.95f);
  ASSERT_EQ(scene.log, Log{"duck"});
  scene.others = true;
  scene.Run(1500, -25, 0.95f);
  EXPECT_EQ(scene.log, (Log{"duck", "resume"}));
}

TEST(BargeJudge, TellsWhetherALookIsStillWanted) {
  Scene scene(BargeNormal());
  scene.answers = false;
  EXPECT_FALSE(scene.judge.asking());
  scene.Run(420, -25, 0.95f);
  ASSERT_EQ(scene.log, (Log{"duck", "ask"}));
  EXPECT_TRUE(scene.judge.asking());
  scene.judge.Heard(scene.judge.suspicion() - 1, TextVerdict::kTurn);
  EXPECT_TRUE(scene.judge.asking()) << "that was of an older sound";
  scene.judge.Heard(scene.judge.suspicion(), TextVerdict::kBackchannel);
  EXPECT_FALSE(scene.judge.asking());

  Scene stopped(BargeNormal());
  stopped.answers = false;
  stopped.Run(420, -25, 0.95f);
  stopped.Run(10, -25, 0.95f, false);
  EXPECT_FALSE(stopped.judge.asking()) << "the agent has stopped by itself";
}

TEST(BargeJudge, WaitsForALateAnswerAndCutsWithoutOne) {
  Scene late(BargeNormal());
  late.answers = false;
  late.Run(420, -25, 0.95f);
  ASSERT_EQ(late.log, (Log{"duck", "ask"}));
  late.judge.Heard(late.judge.suspicion(), TextVerdict::kBackchannel);
  late.Run(20, -25, 0.95f);
  EXPECT_EQ(late.log.at(2), "resume");

  Scene never(BargeNormal());
  never.answers = false;
  never.Run(700, -25, 0.95f);
  ASSERT_EQ(never.log, (Log{"duck", "ask", "interrupted"}));
  EXPECT_LE(never.times[2] - never.times[0], 450);
}

TEST(BargeJudge, SuspectsNothingThatIsOverAtOnce) {
  Scene scene(BargeNormal());
  scene.Run(50, -25, 0.95f);
  scene.Run(400, -70, 0.95f);
  EXPECT_EQ(scene.log, Log{});
}

TEST(BargeJudge, WantsAClearAnswerAtFirstAndTakesAnyAtLast) {
  BargeJudge judge(BargeNormal());
  std::vector<float> confidence_margin;
  int64_t suspected = -1;
  for (int64_t now = 0; now < 500; now += 10) {
    const BargeStep step = judge.Tick(now, {-25, static_cast<uint64_t>(now / 32), 0.95f, -127, false}, true);
    if (step.duck) suspected = now;
    if (step.interrupt) {
      EXPECT_LE(now - suspected, 300);
      break;
    }
    if (!step.needs_text) continue;
    confidence_margin.push_back(step.confidence_margin);
    judge.Heard(judge.suspicion(), TextVerdict::kUnclear);
  }
  ASSERT_EQ(confidence_margin.size(), 3u);
  EXPECT_EQ(confidence_margin.front(), 1.0f);
  EXPECT_EQ(confidence_margin.back(), 0.0f);
  EXPECT_GT(confidence_margin[0], confidence_margin[1]);
}

TEST(BargeJudge, DecidesSoonerWhereTheSoundHadLastedBeforeItWasSuspected) {
  Scene scene(BargeNormal());
  scene.Run(160, -25, 0.1f);
  scene.Run(500, -25, 0.95f);
  EXPECT_EQ(scene.log.back(), "interrupted");
  EXPECT_LE(scene.times.back(), 390);
}

TEST(BargeJudge, LooksAgainWhenTheWordsWereNotClearAndThenCuts) {
  Scene scene(BargeNormal());
  scene.Run(500, -25, 0.95f);
  ASSERT_GE(scene.log.size(), 4u);
  EXPECT_EQ(scene.log[1], "ask");
  EXPECT_EQ(scene.log[2], "ask");
  EXPECT_EQ(scene.log.back(), "interrupted");
  EXPECT_LE(scene.times.back() - scene.times[0], 350);
}

TEST(BargeJudge, AShortWordIsLookedAtWhenItHasEnded) {
  Scene scene(BargeNormal());
  scene.answer = TextVerdict::kTurn;
  scene.Run(180, -25, 0.95f);
  scene.Run(300, -70, 0.02f);
  EXPECT_EQ(scene.log, (Log{"duck", "ask", "interrupted"}));
}

TEST(BargeJudge, LowersTheAgentBeforeItSuspectsAndDecidesAsIfItHadNot) {
  Scene bold(BargeNormal()), shy([] {
    BargeOptions options;
    options.rise.min_ms = 10'000;
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

TEST(BargeJudge, LetsTheAgentComeUpWhenNothingIsSuspected) {
  Scene scene(BargeNormal());
  scene.Run(1000, -70, 0.02f);
  scene.Run(100, -30, 0.3f);
  scene.Run(500, -70, 0.02f);
  EXPECT_EQ(scene.log, (Log{"duck", "resume"}));
}

TEST(BargeJudge, ForgetsWhatItLoweredWhenTheAgentIsCutOtherwise) {
  Scene scene(BargeNormal());
  scene.Run(1000, -70, 0.02f);
  scene.Run(80, -30, 0.3f);
  ASSERT_EQ(scene.log, Log{"duck"});
  scene.Run(20, -30, 0.3f, false);
  scene.Run(100, -30, 0.95f);
  EXPECT_EQ(scene.log, (Log{"duck", "duck"})) << "the next speech is lowered by the suspicion";
}

TEST(BargeJudge, AStopInAWordDoesNotEndIt) {
  Scene scene(BargeNormal());
  scene.answer = TextVerdict::kTurn;
  scene.Run(90, -25, 0.95f);
  scene.Run(110, -60, 0.97f);
  scene.Run(300, -25, 0.97f);
  EXPECT_EQ(scene.log.front(), "duck");
  EXPECT_EQ(scene.log.back(), "interrupted");
  for (const std::string& step : scene.log) EXPECT_NE(step, "resume");
}

TEST(BargeJudge, ABurstOfNoiseIsNotLookedAt) {
  Scene scene(BargeNormal());
  scene.answer = TextVerdict::kTurn;
  scene.Run(80, -25, 0.95f);
  scene.Run(400, -70, 0.02f);
  EXPECT_EQ(scene.log, (Log{"duck", "resume"}));
}

TEST(BargeJudge, OtherWordsAfterASignOfListeningInterrupt) {
  Scene scene(BargeNormal());
  scene.answer = TextVerdict::kBackchannel;
  scene.Run(360, -25, 0.95f);
  ASSERT_EQ(scene.log.at(2), "resume");
  scene.answer = TextVerdict::kTurn;
  scene.Run(300, -25, 0.95f);
  EXPECT_EQ(scene.log.back(), "interrupted");
}

TEST(BargeJudge, OneClearLookAtOtherWordsEndsASignOfListening) {
  for (const bool sure : {false, true}) {
    Scene scene(BargeNormal());
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

TEST(BargeJudge, OneOtherLookIntoASignOfListeningIsForgiven) {
  Scene scene(BargeNormal());
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

TEST(BargeJudge, ResumesAfterASignOfListening) {
  Scene scene(BargeNormal());
  scene.answer = TextVerdict::kBackchannel;
  scene.Run(380, -25, 0.95f);
  scene.Run(600, -70, 0.02f);
  ASSERT_GE(scene.log.size(), 3u);
  EXPECT_EQ(scene.log[0], "duck");
  EXPECT_EQ(scene.log[1], "ask");
  EXPECT_EQ(scene.log[2], "resume");
  for (size_t i = 3; i < scene.log.size(); ++i) EXPECT_EQ(scene.log[i], "ask");
}

TEST(BargeJudge, ASignOfListeningThatGoesOnIsAnInterruption) {
  Scene scene(BargeNormal());
  scene.answer = TextVerdict::kBackchannel;
  scene.Run(1200, -25, 0.95f);
  EXPECT_EQ(scene.log.at(2), "resume");
  EXPECT_EQ(scene.log.back(), "interrupted");
  EXPECT_GE(scene.times.back(), 880);
}

TEST(BargeJudge, AnEchoIsLeftAlone) {
  Scene scene(BargeNormal());
  scene.answer = TextVerdict::kTurn;
  scene.Run(80, -35, 0.9f);
  ASSERT_EQ(scene.log, (Log{"duck"}));
  scene.echo = true;
  scene.Run(300, -35, 0.9f);
  EXPECT_EQ(scene.log.at(1), "resume");
}

TEST(BargeJudge, ACallerIsHeardAboveTheExpectedEchoOnly) {
  Scene scene(BargeNormal());
  scene.echo_dbfs = -33;
  scene.Run(1000, -30, 0.95f);
  EXPECT_TRUE(scene.log.empty());
  scene.Run(200, -22, 0.95f);
  EXPECT_EQ(scene.log, (Log{"duck"}));
}

TEST(BargeJudge, NoiseAndQuietVoicesDoNotDuck) {
  Scene scene(BargeNormal());
  scene.Run(1000, -20, 0.2f);
  scene.Run(1000, -48, 0.95f);
  EXPECT_TRUE(scene.log.empty());
}

TEST(BargeJudge, SensitivityMovesTheGate) {
  Scene high(BargeHigh()), normal(BargeNormal()), low(BargeLow()), number(BargeGate(-48));
  for (Scene* scene : {&high, &normal, &low, &number}) scene->Run(60 + 40, -46, 0.95f);
  EXPECT_EQ(high.log.size(), 1u);
  EXPECT_TRUE(normal.log.empty());
  EXPECT_TRUE(low.log.empty());
  EXPECT_EQ(number.log.size(), 1u);
  Scene deliberate(BargeLow());
  deliberate.Run(150, -38, 0.95f);
  EXPECT_TRUE(deliberate.log.empty());
}

TEST(BargeJudge, NothingHappensWhileTheAgentIsSilent) {
  Scene scene(BargeNormal());
  scene.Run(2000, -20, 0.99f, false);
  EXPECT_TRUE(scene.log.empty());
}

TEST(BargeJudge, ALateAnswerToAnOldQuestionChangesNothing) {
  Scene scene(BargeNormal());
  scene.Run(100, -25, 0.95f);
  scene.answer = TextVerdict::kTurn;
  scene.judge.Heard(scene.judge.suspicion() + 1, TextVerdict::kBackchannel);
  scene.Run(300, -25, 0.95f);
  EXPECT_EQ(scene.log, (Log{"duck", "ask", "interrupted"}));
}

}  // namespace
}  // namespace trunkline::omni
