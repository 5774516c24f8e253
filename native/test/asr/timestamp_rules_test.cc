#include "asr/timestamp_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace trunkline::asr {
namespace {

using Place = TimestampRules::Place;

// Words 0 to 9, the end 10, a special token 11, marks from 12 on.
constexpr text::TokenId kEnd = 10, kFirst = 12;
constexpr size_t kSize = 112;
const TimestampRules kMarks(kFirst, kEnd);

TimestampRules::State After(std::initializer_list<text::TokenId> tokens) {
  TimestampRules::State state;
  for (const text::TokenId token : tokens) state = kMarks.After(state, token);
  return state;
}

struct Allowed {
  bool words, end;
  text::TokenId first_mark, last_mark;  // -1: none
};

Allowed Next(TimestampRules::State state, float words = 0, float marks = 0) {
  std::vector<float> logits(kSize, words);
  std::fill(logits.begin() + kFirst, logits.end(), marks);
  kMarks.Apply(logits, state);
  Allowed allowed{std::isfinite(logits[3]), std::isfinite(logits[kEnd]), -1, -1};
  for (size_t i = kFirst; i < kSize; ++i) {
    if (!std::isfinite(logits[i])) continue;
    if (allowed.first_mark < 0) allowed.first_mark = static_cast<text::TokenId>(i);
    allowed.last_mark = static_cast<text::TokenId>(i);
  }
  return allowed;
}

TEST(TimestampRules, ATextBeginsWithOneOfItsFirstSecond) {
  const Allowed next = Next({});
  EXPECT_FALSE(next.words);
  EXPECT_FALSE(next.end);
  EXPECT_EQ(next.first_mark, kFirst);
  EXPECT_EQ(next.last_mark, kFirst + 50);
}

TEST(TimestampRules, WordsFollowTheMarkThatOpensAStretch) {
  const Allowed next = Next(After({kFirst + 4}));
  EXPECT_TRUE(next.words);
  EXPECT_EQ(next.first_mark, -1);
}

TEST(TimestampRules, AStretchClosesLaterThanItOpened) {
  const Allowed next = Next(After({kFirst + 4, 1, 2}), 0, -20);
  EXPECT_TRUE(next.words);
  EXPECT_TRUE(next.end);
  EXPECT_EQ(next.first_mark, kFirst + 5);
}

TEST(TimestampRules, AfterAStretchComesTheNextOrTheEnd) {
  const Allowed next = Next(After({kFirst, 1, kFirst + 30}), 0, -20);
  EXPECT_FALSE(next.words);
  EXPECT_TRUE(next.end);
  EXPECT_EQ(next.first_mark, kFirst + 30) << "it may begin where the other ended";
  EXPECT_TRUE(Next(After({kFirst, 1, kFirst + 30, kFirst + 30})).words);
}

// Each mark alone is less likely than the words, and all of them together are not.
TEST(TimestampRules, AMarkIsWrittenWhereSomeMarkIsLikelierThanEveryWord) {
  const Allowed unlikely = Next(After({kFirst, 1}), 0, -6);
  EXPECT_TRUE(unlikely.words);
  const Allowed likely = Next(After({kFirst, 1}), 0, -4);
  EXPECT_FALSE(likely.words);
  EXPECT_FALSE(likely.end);
  EXPECT_EQ(likely.first_mark, kFirst + 1);
}

TEST(TimestampRules, NoTimeIsLeftAfterTheLastMark) {
  const Allowed next = Next(After({static_cast<text::TokenId>(kSize) - 1, 1}));
  EXPECT_TRUE(next.words);
  EXPECT_TRUE(next.end);
  EXPECT_EQ(next.first_mark, -1);
}

}  // namespace
}  // namespace trunkline::asr
