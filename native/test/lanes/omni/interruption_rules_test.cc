// The rules by which a look at a voice becomes an answer, each on real recordings that lie on both of its sides.
// Which side they lie on was found by running the models over all recordings of the folder.
#include "test/lanes/omni/interruption_scene.h"

namespace trunkline::omni {
namespace {

struct Sound {
  const char* name;
  double seconds;
};

class OmniInterruptionRulesTest : public OmniInterruptionTextTest {
 protected:
  // All but one: another processor rounds otherwise.
  template <size_t kCount>
  void Expect(const Sound (&sounds)[kCount], Verdict verdict, asr::Language language) {
    std::string others;
    int count = 0;
    for (const auto& [name, seconds] : sounds) {
      if (AtOnce(name, seconds, language) == verdict) continue;
      others += std::string(" ") + name;
      ++count;
    }
    EXPECT_LE(count, 1) << others;
  }
};

// The score decides alone in a language that the quick recognizer cannot transcribe.
TEST_F(OmniInterruptionRulesTest, TheLimitOfOtherLanguagesStandsThreeQuartersBelowEvenOdds) {
  Expect({{"an131-fkdo-b", 0.3},
          {"an21-flrp-b", 0.3},
          {"an231-mcsc-b", 0.3},
          {"an48-mmap-b", 0.3},
          {"cen1-fclc-b", 0.44},
          {"cen3-fkdo-b", 0.44},
          {"cen5-mkdb-b", 0.44}},
         Verdict::kGoesOn, asr::Language::kEs);
  Expect({{"an162-mfaa-b", 0.3},
          {"an33-mtje-b", 0.3},
          {"an436-mjgm-b", 0.44},
          {"cen1-fsrb-b", 0.44},
          {"cen1-ftmj-b", 0.3},
          {"cen5-fsrb-b", 0.3},
          {"cen5-mmkw-b", 0.3}},
         Verdict::kInterrupts, asr::Language::kEs);
}

TEST_F(OmniInterruptionRulesTest, AShortWordIsToldByItsSoundWhateverIsWrittenOfIt) {
  // Written as "Yes", "So", "It", "M", "Okay".
  Expect({{"an227-msjm-b", 0.3},
          {"an232-mcsc-b", 0.3},
          {"an318-mkdb-b", 0.6},
          {"an293-ffmm-b", 0.44},
          {"cen1-ffmm-b", 0.44},
          {"cen1-mdxs-b", 0.44}},
         Verdict::kInterrupts, asr::Language::kEn);
  // Written as "G. G.", "Z.", "Teak", "About".
  Expect({{"an10-fjmd-b", 0.3}, {"an2-mblw-b", 0.44}, {"an221-fwxs-b", 0.44}, {"an361-mmkw-b", 0.44}},
         Verdict::kGoesOn, asr::Language::kEn);
}

// The recognizer invents whole sentences with certainty for a voice that is played two or three times too
// fast.
TEST_F(OmniInterruptionRulesTest, MoreWordsThanCanBeSaidInTheTimeTellNothing) {
  struct Fast {
    const char* name;
    double speed;
  };
  int probability = 0;
  for (const auto& [name, speed] : {Fast{"an227-msjm-b", 2},
                                    {"an33-mtje-b", 2.5},
                                    {"an33-mtje-b", 3},
                                    {"an377-mtxj-b", 3.5},
                                    {"an68-meht-b", 2.5},
                                    {"cen1-ffmm-b", 3}}) {
    probability += Of(Hurried(name, speed, 0.7)) != Verdict::kNone;
  }
  EXPECT_LE(probability, 1);
  // And so many as people do say are believed.
  Expect({{"an10-fjmd-b", 1.0},
          {"an158-mjes-b", 1.0},
          {"an161-mfaa-b", 1.0},
          {"an172-mjda-b", 0.9},
          {"an172-mjda-b", 1.0}},
         Verdict::kInterrupts, asr::Language::kEn);
}

TEST_F(OmniInterruptionRulesTest, AWordOfWhichTheRecognizerWasNotSureTellsNothing) {
  Expect({{"an147-fclc-b", 0.9},
          {"an131-fkdo-b", 0.9},
          {"an148-fclc-b", 0.9},
          {"an146-fclc-b", 0.7},
          {"an113-mdcs2-b", 0.7}},
         Verdict::kNone, asr::Language::kEn);
  Expect({{"an10-fjmd-b", 0.9},
          {"an133-fkdo-b", 0.7},
          {"an161-mfaa-b", 0.9},
          {"an163-mfaa-b", 0.7},
          {"an177-mjjs2-b", 0.9}},
         Verdict::kInterrupts, asr::Language::kEn);
}

}  // namespace
}  // namespace trunkline::omni
