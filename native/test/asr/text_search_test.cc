#include "asr/text_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace trunkline::asr {
namespace {

// Tokens of a language of five words; the last is the end of the text.
constexpr text::TokenId kA = 0, kB = 1, kC = 2, kD = 3, kEnd = 4;
constexpr size_t kSize = 5;

using Text = std::vector<text::TokenId>;

// How likely each token is after each text; what is not said is equally unlikely.
class Speaker {
 public:
  std::map<Text, std::map<text::TokenId, float>> says;

  Text Listen(TextSearch& search, const TextSearch::Terms& terms, uint64_t seed = 0,
              std::span<const text::TokenId> given = {}) {
    Chance chance(seed);
    search.Begin(terms, given, chance);
    std::vector<Text> texts = {Text(given.begin(), given.end())};
    while (true) {
      std::vector<float> logits;
      for (const Text& text : texts) {
        for (size_t token = 0; token < kSize; ++token) logits.push_back(std::log(Odds(text, token)));
      }
      if (search.Advance(logits)) return search.best().tokens;
      std::vector<Text> next;
      for (size_t i = 0; i < search.open(); ++i) {
        next.push_back(texts[search.parents()[i]]);
        next.back().push_back(search.tokens()[i]);
      }
      CheckPlaces(search);
      texts = std::move(next);
    }
  }

 private:
  float Odds(const Text& text, size_t token) const {
    const auto found = says.find(text);
    if (found == says.end()) return token == kEnd ? 0.96f : 0.01f;
    const auto odds = found->second.find(static_cast<text::TokenId>(token));
    return odds == found->second.end() ? 0.001f : odds->second;
  }

  // Whoever copies what it keeps from parent's place to child's place must not write over what is still
  // wanted.
  static void CheckPlaces(const TextSearch& search) {
    const auto parents = search.parents();
    for (size_t child = 0; child < parents.size(); ++child) {
      if (parents[child] < parents.size()) EXPECT_EQ(parents[parents[child]], parents[child]);
    }
  }
};

TokenRules NoRules() {
  return TokenRules(text::ByteTokens(), WhisperSettings(), kEnd);
}

TextSearch::Terms Terms(const TokenRules& rules, size_t width, float temperature = 0) {
  return {.width = width, .temperature = temperature, .end_of_text = kEnd, .max_tokens = 20, .rules = &rules};
}

// "a" is likelier at first, and leads nowhere; what begins with "b" is likelier as a whole.
Speaker GardenPath() {
  Speaker speaker;
  speaker.says[{}] = {{kA, 0.55f}, {kB, 0.44f}};
  speaker.says[{kA}] = {{kC, 0.3f}, {kD, 0.3f}, {kA, 0.2f}, {kB, 0.2f}};
  speaker.says[{kB}] = {{kC, 0.97f}};
  return speaker;
}

TEST(TextSearch, GreedyTakesTheLikeliestTokenEachTime) {
  const TokenRules rules = NoRules();
  TextSearch search;
  const Text text = GardenPath().Listen(search, Terms(rules, 1));
  EXPECT_EQ(text, (Text{kA, kC}));
  EXPECT_EQ(search.best().steps, 3u) << "the end counts";
}

TEST(TextSearch, ABeamFindsTheTextThatIsLikelierAsAWhole) {
  const TokenRules rules = NoRules();
  TextSearch search;
  EXPECT_EQ(GardenPath().Listen(search, Terms(rules, 2)), (Text{kB, kC}));
  EXPECT_EQ(GardenPath().Listen(search, Terms(rules, 5)), (Text{kB, kC}));
}

// The mean is compared and not the sum, which prefers whatever ends first: here the empty text.
TEST(TextSearch, AShortTextIsNotPreferredForBeingShort) {
  Speaker speaker;
  speaker.says[{}] = {{kA, 0.55f}, {kEnd, 0.45f}};
  speaker.says[{kA}] = {{kB, 0.9f}};
  for (const auto token : {kB, kC, kD}) speaker.says[{token}] = {{kA, 0.9f}};
  const TokenRules rules = NoRules();
  TextSearch search;
  EXPECT_EQ(speaker.Listen(search, Terms(rules, 2)), (Text{kA, kB}));
}

TEST(TextSearch, WhatIsGivenIsNotCounted) {
  Speaker speaker = GardenPath();
  const TokenRules rules = NoRules();
  TextSearch search;
  const Text given = {kB};
  EXPECT_EQ(speaker.Listen(search, Terms(rules, 2), 0, given), (Text{kC}));
  EXPECT_EQ(search.best().steps, 2u);
}

TEST(TextSearch, ACircleEndsTheSearchAndIsCut) {
  Speaker speaker;
  Text text;
  for (int i = 0; i < 30; ++i) {
    speaker.says[text] = {{kA, 0.9f}};
    text.push_back(kA);
  }
  const TokenRules rules = NoRules();
  for (const size_t width : {size_t{1}, size_t{5}}) {
    TextSearch search;
    const Text heard = speaker.Listen(search, Terms(rules, width));
    EXPECT_LT(heard.size(), 10u);
    EXPECT_EQ(search.best().tokens.size(), search.best().logprobs.size());
    EXPECT_EQ(search.best().steps, search.best().tokens.size() + (search.best().looped ? 0 : 1));
  }
}

TEST(TextSearch, EndsAtItsMostTokens) {
  Speaker speaker;
  Text text;
  for (int i = 0; i < 40; ++i) {
    speaker.says[text] = {{static_cast<text::TokenId>(i * i % 7 % 4), 0.99f}};
    text.push_back(static_cast<text::TokenId>(i * i % 7 % 4));
  }
  const TokenRules rules = NoRules();
  TextSearch search;
  TextSearch::Terms terms = Terms(rules, 3);
  terms.max_tokens = 6;
  EXPECT_LE(speaker.Listen(search, terms).size(), 6u);
}

TEST(TextSearch, DrawsAreTheSameForTheSameSeed) {
  const TokenRules rules = NoRules();
  TextSearch search;
  std::vector<Text> heard;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const Text first = GardenPath().Listen(search, Terms(rules, 1, 1.0f), seed);
    EXPECT_EQ(GardenPath().Listen(search, Terms(rules, 1, 1.0f), seed), first);
    heard.push_back(first);
  }
  std::sort(heard.begin(), heard.end());
  EXPECT_GT(std::unique(heard.begin(), heard.end()) - heard.begin(), 1);
}

TEST(TextSearch, OfSeveralDrawsTheLikeliestIsKept) {
  const TokenRules rules = NoRules();
  TextSearch one, five;
  double single = 0, several = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    GardenPath().Listen(one, Terms(rules, 1, 1.0f), seed);
    GardenPath().Listen(five, Terms(rules, 5, 1.0f), seed);
    single += static_cast<double>(one.best().score());
    several += static_cast<double>(five.best().score());
  }
  EXPECT_GT(several, single);
}

TEST(Likeliest, AreTheLargestInOrder) {
  std::vector<float> logits(1000);
  Chance chance(3);
  for (float& x : logits) x = static_cast<float>(chance.Uniform());
  logits[17] = 5;
  logits[900] = logits[901] = 4;
  std::vector<int32_t> places(6);
  ASSERT_EQ(Likeliest(logits, places), 6u);
  EXPECT_EQ(places[0], 17);
  EXPECT_EQ(places[1], 900) << "of equals the first";
  EXPECT_EQ(places[2], 901);
  std::vector<float> sorted = logits;
  std::sort(sorted.rbegin(), sorted.rend());
  for (size_t i = 0; i < places.size(); ++i) EXPECT_EQ(logits[static_cast<size_t>(places[i])], sorted[i]);
  EXPECT_EQ(Likeliest(std::span(logits).first(3), places), 3u);
}

}  // namespace
}  // namespace trunkline::asr
