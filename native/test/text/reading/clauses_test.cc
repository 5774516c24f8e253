#include "text/reading/clauses.h"

#include <gtest/gtest.h>

namespace trunkline::text {
namespace {

std::vector<std::string> Texts(std::string_view text, const ClauseLimits& limits = {}) {
  std::vector<std::string> out;
  for (const Clause& clause : SplitClauses(text, limits)) out.push_back(clause.text);
  return out;
}

using Strings = std::vector<std::string>;

TEST(Clauses, CutAtTheEndsOfSentences) {
  EXPECT_EQ(Texts("This is the first one. This is another one! Is this the third?"),
            (Strings{"This is the first one.", "This is another one!", "Is this the third?"}));
}

TEST(Clauses, TheFirstEndsAtItsFirstPause) {
  EXPECT_EQ(Texts("Thank you for calling, my name is Joe, and I can help, if you like."),
            (Strings{"Thank you for calling,", "my name is Joe, and I can help, if you like."}));
}

TEST(Clauses, AShortStartIsJoinedToWhatFollows) {
  EXPECT_EQ(Texts("Yes, of course I do. Now hold on please."),
            (Strings{"Yes, of course I do.", "Now hold on please."}));
  EXPECT_EQ(Texts("Hi."), (Strings{"Hi."}));
}

TEST(Clauses, TheDandaEndsASentence) {
  EXPECT_EQ(Texts("नमस्ते, आप कैसे हैं। मैं ठीक हूँ यहाँ पर।").size(), 2u);
}

TEST(Clauses, ALongStretchIsCutBetweenWords) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "word ";
  const std::vector<Clause> clauses = SplitClauses(text, ClauseLimits{});
  ASSERT_GT(clauses.size(), 1u);
  std::string joined;
  for (const Clause& clause : clauses) {
    EXPECT_LE(clause.text.size(), ClauseLimits{}.most);
    EXPECT_NE(clause.text.back(), ' ');
    joined += clause.text + " ";
  }
  EXPECT_EQ(joined, text);
  EXPECT_EQ(clauses[0].end, ClauseEnd::kJoin);
}

TEST(Clauses, MarksAloneSayNothing) {
  EXPECT_TRUE(Texts("").empty());
  EXPECT_TRUE(Texts("... ! , ?").empty());
}

TEST(Clauses, EveryWordIsKeptInOrder) {
  const std::string text = "One, two; three: four — five. Six! Seven? Eight… nine and ten, eleven twelve.";
  std::string joined;
  for (const std::string& clause : Texts(text)) joined += (joined.empty() ? "" : " ") + clause;
  EXPECT_EQ(joined, text);
}

}  // namespace
}  // namespace trunkline::text
