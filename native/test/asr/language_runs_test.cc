#include "asr/language_runs.h"

#include <gtest/gtest.h>

namespace trunkline::asr {
namespace {

constexpr auto kEn = Language::kEn, kEs = Language::kEs, kPt = Language::kPt;

PhraseOdds Phrase(double seconds, Language language, float odds, Language other) {
  LanguageOdds all{};
  all[static_cast<size_t>(language)] = odds;
  all[static_cast<size_t>(other)] = 1 - odds;
  return {seconds, all};
}

using Path = std::vector<Language>;

TEST(LanguagesOf, AClearPhraseChangesTheLanguage) {
  const PhraseOdds phrases[] = {Phrase(3, kEn, 0.99f, kEs), Phrase(2.5, kEs, 0.95f, kEn)};
  EXPECT_EQ(LanguagesOf(phrases, kEn, std::nullopt), (Path{kEn, kEs}));
  EXPECT_EQ(LanguagesOf(phrases, kEs, std::nullopt), (Path{kEn, kEs}));
}

TEST(LanguagesOf, APhraseInTheMiddleMayBeOfAnother) {
  const PhraseOdds phrases[] = {Phrase(4, kEs, 0.99f, kEn), Phrase(3, kEn, 0.99f, kEs),
                                Phrase(4, kEs, 0.99f, kEn)};
  EXPECT_EQ(LanguagesOf(phrases, kEs, std::nullopt), (Path{kEs, kEn, kEs}));
}

TEST(LanguagesOf, ShortPhrasesDoNotChangeItHoweverMany) {
  const PhraseOdds phrases[] = {Phrase(1, kEn, 0.95f, kEs), Phrase(1.2, kEn, 0.99f, kEs),
                                Phrase(0.9, kEn, 0.97f, kEs), Phrase(3, kEs, 0.99f, kEn)};
  EXPECT_EQ(LanguagesOf(phrases, kEs, std::nullopt), (Path{kEs, kEs, kEs, kEs}));
}

TEST(LanguagesOf, WhatWasNotAskedGoesWithItsNeighbours) {
  const PhraseOdds phrases[] = {Phrase(3, kEn, 0.99f, kEs), {0.3, std::nullopt}, Phrase(3, kEn, 0.99f, kEs)};
  EXPECT_EQ(LanguagesOf(phrases, kEn, std::nullopt), (Path{kEn, kEn, kEn}));
}

TEST(LanguagesOf, AnUnclearLanguageIsGivenToTheNextBest) {
  const PhraseOdds phrases[] = {Phrase(3, kEn, 0.99f, kEs), Phrase(2, kEs, 0.98f, kEn),
                                Phrase(3, kPt, 0.85f, kEs)};
  EXPECT_EQ(LanguagesOf(phrases, kEn, std::nullopt), (Path{kEn, kEs, kEs}));
}

TEST(LanguageOf, WhatIsExpectedOutweighsAShortWord) {
  EXPECT_EQ(LanguageOf(Phrase(0.5, kEn, 0.9f, kEs), kEs), kEs);
  EXPECT_EQ(LanguageOf(Phrase(0.5, kEn, 0.9f, kEs), std::nullopt), kEn);
  EXPECT_EQ(LanguageOf(Phrase(3, kEn, 0.9f, kEs), kEs), kEn);
}

}  // namespace
}  // namespace trunkline::asr
