// Tests the answers for the first moments of a voice under the agent's, by the models, on real recordings of
// speakers of the training set, so that a badly trained net or a wrong threshold is noticed. bench/omni
// measures how well others are told apart.
#include "test/lanes/omni/interruption_scene.h"

namespace trunkline::omni {
namespace {

constexpr const char* kSigns[] = {"an22-flrp-b", "an254-fash-b", "an32-mtje-b",  "an357-mscg2-b",
                                  "an96-mskh-b", "an251-fash-b", "an333-msrb-b", "an100-mskh-b"};
constexpr const char* kSayings[] = {"an253-fash-b", "an161-mfaa-b",  "an171-mjda-b",  "an231-mcsc-b",
                                    "an291-ffmm-b", "an178-mjjs2-b", "an238-mrjc2-b", "an121-fjdn-b"};

TEST_F(OmniInterruptionTextTest, BackchannelsLetTheAgentGoOnAndWordsInterruptIt) {
  // In another language the score decides alone, without the words that are written.
  for (const auto language : {asr::Language::kEn, asr::Language::kEs}) {
    int signs = 0, sayings = 0;
    for (const char* name : kSigns) signs += AtOnce(name, 0.44, language) == Verdict::kGoesOn;
    for (const char* name : kSayings) sayings += AtOnce(name, 0.44, language) == Verdict::kInterrupts;
    EXPECT_GE(signs, 7) << asr::CodeOf(language);
    EXPECT_GE(sayings, 7) << asr::CodeOf(language);
  }
}

TEST_F(OmniInterruptionTextTest, WhatSurelySoundedLikeListeningIsNotOverruledByWordsWrittenLater) {
  const auto words = Moments("an231-mcsc-b", 0.9);
  const auto later = [&](const std::string& first, bool sure) {
    Suspicion suspicion;
    InterruptionTextTask task(models_, listening_, suspicion.detector);
    Look(task, suspicion, Moments(first, 0.44));
    EXPECT_EQ(task.is_surely_backchannel(), sure) << first;
    Look(task, suspicion, words);
    return suspicion.Heard();
  };
  EXPECT_EQ(later("an96-mskh-b", true), Verdict::kNone);
  EXPECT_EQ(later("an161-mfaa-b", false), Verdict::kInterrupts);
  // Another sound has not sounded like anything yet.
  Suspicion suspicion;
  InterruptionTextTask task(models_, listening_, suspicion.detector);
  Look(task, suspicion, Moments("an96-mskh-b", 0.44));
  task.Prepare(words, asr::Language::kEn, suspicion.detector.suspicion() + 1, 0);
  EXPECT_FALSE(task.is_surely_backchannel());
}

}  // namespace
}  // namespace trunkline::omni
