#include "vad/endpointer.h"

#include <gtest/gtest.h>

#include <vector>

namespace trunkline::vad {
namespace {

constexpr double kFrame = 0.032;
constexpr TurnWaits kHalved = {{{0, 1.5}, {0.5, 1.5}, {1, 0.5}, {1, 0.5}}};

// Feeds frames and keeps what happened, with the time at which it did.
struct Bench {
  explicit Bench(EndpointerOptions options = {}) : endpointer(options) {}

  EndpointEvents Feed(double seconds, float probability) {
    EndpointEvents last;
    for (double until = now + seconds - 1e-6; now < until;) {
      now += kFrame;
      last = endpointer.Frame(probability, now);
      if (last.started) starts.push_back(endpointer.start_s());
      if (last.ended) ends.push_back(endpointer.ended());
      if (last.ended) end_times.push_back(now);
      pauses += last.paused;
      resumes += last.resumed;
    }
    return last;
  }

  Endpointer endpointer;
  double now = 0;
  std::vector<double> starts;
  std::vector<Utterance> ends;
  std::vector<double> end_times;
  int pauses = 0, resumes = 0;
};

TEST(Endpointer, EndsAfterTheSilenceAskedFor) {
  for (const double wait : {0.1, 0.3, 0.5, 3.0}) {
    Bench bench({.endpointing_s = wait});
    bench.Feed(1.024, 0.02f);
    bench.Feed(2.016, 0.9f);
    bench.Feed(4.0, 0.02f);
    ASSERT_EQ(bench.ends.size(), 1u) << wait;
    EXPECT_NEAR(bench.starts[0], 1.024 - 0.3, 1e-9);
    EXPECT_NEAR(bench.ends[0].speech_end_s, 3.04, 1e-6);
    EXPECT_EQ(bench.ends[0].reason, EndReason::kSilence);
    EXPECT_GE(bench.end_times[0] - 3.04, wait - 1e-6);
    EXPECT_LT(bench.end_times[0] - 3.04, wait + kFrame);
    EXPECT_EQ(bench.pauses, 1);
  }
}

TEST(Endpointer, TellsOfTheFirstQuietFrameAndWhetherItWasNone) {
  Endpointer endpointer{EndpointerOptions{}};
  double now = 0;
  const auto feed = [&](float probability) { return endpointer.Frame(probability, now += kFrame); };
  EXPECT_FALSE(feed(0.02f).silence_started) << "nobody speaks yet";
  feed(0.9f);
  feed(0.9f);
  EndpointEvents events = feed(0.02f);
  EXPECT_TRUE(events.silence_started && !events.paused);
  events = feed(0.9f);
  EXPECT_TRUE(events.silence_ended && !events.resumed) << "a gap in a word";
  EXPECT_FALSE(feed(0.9f).silence_ended);
  EXPECT_TRUE(feed(0.02f).silence_started);
  events = feed(0.02f);
  EXPECT_TRUE(events.paused && !events.silence_started);
  events = feed(0.9f);
  EXPECT_TRUE(events.resumed && !events.silence_ended);
}

TEST(Endpointer, TheTurnModelMovesTheWait) {
  for (const auto& [probability, factor] :
       {std::pair{1.0f, 0.5}, {0.75f, 1.0}, {0.5f, 1.5}, {0.0f, 1.5}, {7.0f, 0.5}, {-1.0f, 1.5}}) {
    Bench bench({.endpointing_s = 0.64, .waits = kHalved});
    bench.Feed(0.96, 0.9f);
    bench.Feed(0.064, 0.02f);
    ASSERT_EQ(bench.pauses, 1);
    bench.endpointer.Finished(bench.endpointer.pause(), probability);
    bench.Feed(2.0, 0.02f);
    ASSERT_EQ(bench.ends.size(), 1u);
    EXPECT_NEAR(bench.end_times[0] - 0.96, 0.64 * factor, kFrame);
  }
}

TEST(Endpointer, ACallWaitsLessForACallerWhoIsSurelyDone) {
  for (const auto& [probability, wait_s] : {std::pair{0.0f, 0.8},
                                            {0.3f, 0.66},
                                            {0.6f, 0.52},
                                            {0.75f, 0.46},
                                            {0.9f, 0.4},
                                            {0.9375f, 0.344},
                                            {0.975f, 0.288},
                                            {1.0f, 0.288}}) {
    Bench bench({.endpointing_s = 0.5, .waits = kCallWaits});
    bench.Feed(0.96, 0.9f);
    bench.Feed(0.064, 0.02f);
    bench.endpointer.Finished(bench.endpointer.pause(), probability);
    EXPECT_NEAR(bench.endpointer.wait_s(), wait_s, 1e-6) << probability;
  }
}

TEST(Endpointer, AnAnswerForAnOldPauseIsIgnored) {
  Bench bench({.endpointing_s = 0.64, .waits = kHalved});
  bench.Feed(0.96, 0.9f);
  bench.Feed(0.096, 0.02f);
  const uint32_t old = bench.endpointer.pause();
  bench.Feed(0.32, 0.9f);
  EXPECT_EQ(bench.resumes, 1);
  bench.Feed(0.096, 0.02f);
  bench.endpointer.Finished(old, 1.0f);
  EXPECT_DOUBLE_EQ(bench.endpointer.wait_s(), 0.64);
  bench.endpointer.Finished(bench.endpointer.pause(), 1.0f);
  EXPECT_DOUBLE_EQ(bench.endpointer.wait_s(), 0.32);
}

TEST(Endpointer, ALateAnswerEndsNoTurn) {
  Bench bench({.endpointing_s = 0.64, .waits = kHalved});
  bench.Feed(0.96, 0.9f);
  bench.Feed(0.064, 0.02f);
  bench.endpointer.Finished(bench.endpointer.pause(), 0.0F);
  bench.Feed(0.8, 0.02f);
  EXPECT_TRUE(bench.ends.empty()) << "it may yet be said that the speaker goes on";
  bench.endpointer.Finished(bench.endpointer.pause(), 1.0f);
  bench.Feed(kFrame, 0.02f);
  EXPECT_EQ(bench.ends.size(), 1u) << "the wait that it allows is over";
}

TEST(Endpointer, WhereNobodyKnowsTheWaitIsWhatWasAskedFor) {
  Bench bench({.endpointing_s = 0.64, .waits = kHalved});
  bench.Feed(0.96, 0.9f);
  bench.Feed(0.064, 0.02f);
  bench.endpointer.Finished(bench.endpointer.pause(), 0.0F);
  EXPECT_DOUBLE_EQ(bench.endpointer.wait_s(), 0.96);
  bench.endpointer.Finished(bench.endpointer.pause(), std::nullopt);
  EXPECT_DOUBLE_EQ(bench.endpointer.wait_s(), 0.64);
}

TEST(Endpointer, AClickIsNoSpeech) {
  Bench bench;
  for (int i = 0; i < 50; ++i) {
    bench.Feed(kFrame, 0.99f);
    bench.Feed(kFrame, 0.01f);
  }
  EXPECT_TRUE(bench.starts.empty());
}

TEST(Endpointer, AShortDipIsNoPause) {
  Bench bench;
  for (int i = 0; i < 50; ++i) {
    bench.Feed(0.16, 0.9f);
    bench.Feed(kFrame, 0.01f);
  }
  EXPECT_EQ(bench.pauses, 0);
  EXPECT_EQ(bench.ends.size(), 0u);
}

TEST(Endpointer, ALongUtteranceIsFullAndGoesOnWhereItIsSplit) {
  Bench bench;
  bench.Feed(14.4, 0.9f);
  EXPECT_FALSE(bench.endpointer.full(bench.now));
  bench.Feed(0.64, 0.9f);
  ASSERT_TRUE(bench.endpointer.full(bench.now));
  const EndpointEvents events = bench.endpointer.SplitAt(12.5);
  EXPECT_TRUE(events.ended);
  EXPECT_TRUE(events.started);
  EXPECT_EQ(bench.endpointer.ended().reason, EndReason::kMaxUtterance);
  EXPECT_EQ(bench.endpointer.ended().start_s, 0);
  EXPECT_EQ(bench.endpointer.ended().end_s, 12.5);
  EXPECT_EQ(bench.endpointer.ended().speech_end_s, 12.5);
  EXPECT_EQ(bench.endpointer.start_s(), 12.5) << "nothing lost and nothing twice";
  EXPECT_FALSE(bench.endpointer.full(bench.now));
  bench.Feed(1.0, 0.02f);
  ASSERT_EQ(bench.ends.size(), 1u);
  EXPECT_EQ(bench.ends[0].start_s, 12.5);
  EXPECT_EQ(bench.ends[0].reason, EndReason::kSilence);
  EXPECT_NEAR(bench.ends[0].speech_end_s, 15.04, 1e-6) << "speech went on after the cut";
}

TEST(Endpointer, AnUtteranceThatGrowsTooLongInASilenceEndsThere) {
  Bench bench({.endpointing_s = 3.0});
  bench.Feed(13.504, 0.9f);
  bench.Feed(3.2, 0.01f);
  ASSERT_EQ(bench.ends.size(), 1u);
  EXPECT_EQ(bench.ends[0].reason, EndReason::kMaxUtterance);
  EXPECT_NEAR(bench.ends[0].end_s, 13.504 + 2 * kFrame, 1e-6) << "with what was heard by the pause";
  EXPECT_LE(bench.end_times[0], 15.0 + kFrame);
  EXPECT_EQ(bench.starts.size(), 1u) << "nothing is open in the silence";
  EXPECT_FALSE(bench.endpointer.open());
}

TEST(Endpointer, CommitEndsWhatIsOpenWithEverythingUpToNow) {
  Bench bench;
  EXPECT_FALSE(bench.endpointer.Commit(0, EndReason::kCommit).ended);
  bench.Feed(1.6, 0.9f);
  EXPECT_TRUE(bench.endpointer.Commit(bench.now, EndReason::kCommit).ended);
  EXPECT_DOUBLE_EQ(bench.endpointer.ended().end_s, bench.now);
  EXPECT_EQ(bench.endpointer.ended().reason, EndReason::kCommit);
  EXPECT_FALSE(bench.endpointer.open());
}

TEST(Endpointer, TheLeadNeverReachesIntoTheUtteranceBefore) {
  Bench bench({.endpointing_s = 0.1});
  bench.Feed(1.6, 0.9f);
  bench.Feed(0.16, 0.01f);
  bench.Feed(1.6, 0.9f);
  ASSERT_EQ(bench.ends.size(), 1u);
  ASSERT_EQ(bench.starts.size(), 2u);
  EXPECT_GE(bench.starts[1], bench.ends[0].end_s);
}

}  // namespace
}  // namespace trunkline::vad
