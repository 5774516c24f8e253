#include "asr/stable_prefix.h"

#include <gtest/gtest.h>

namespace trunkline::asr {
namespace {

bool Pass(StablePrefix& prefix, const std::string& text) {
  return prefix.Pass(SplitWords(text));
}

TEST(StablePrefix, MakesStableWhatTwoPassesAgreeOnButTheLastWords) {
  StablePrefix prefix(2);
  EXPECT_FALSE(Pass(prefix, "i would like"));
  EXPECT_TRUE(Pass(prefix, "i would like to book"));
  EXPECT_EQ(TextOf(prefix.words()), "i");
  EXPECT_TRUE(Pass(prefix, "i would like to look at"));
  EXPECT_EQ(TextOf(prefix.words()), "i would like");
}

TEST(StablePrefix, NeverTakesBackAWord) {
  StablePrefix prefix(0);
  Pass(prefix, "one two three");
  Pass(prefix, "one two three");
  EXPECT_EQ(prefix.size(), 3u);
  EXPECT_FALSE(Pass(prefix, "won two three four"));
  EXPECT_EQ(TextOf(prefix.words()), "one two three");
  EXPECT_FALSE(Pass(prefix, ""));
  EXPECT_EQ(TextOf(prefix.words()), "one two three");
}

TEST(StablePrefix, StartsAnewAfterReset) {
  StablePrefix prefix(0);
  Pass(prefix, "a b");
  Pass(prefix, "a b");
  prefix.Reset();
  EXPECT_EQ(TextOf(prefix.words()), "");
  EXPECT_FALSE(Pass(prefix, "c d"));
}

}  // namespace
}  // namespace trunkline::asr
