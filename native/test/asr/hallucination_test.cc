#include "asr/hallucination.h"

#include <gtest/gtest.h>

#include <numeric>
#include <tuple>

namespace trunkline::asr {
namespace {

// `before` tokens that differ, then a phrase of `period` tokens, `times` times.
std::vector<int32_t> Repeated(size_t before, size_t period, size_t times) {
  std::vector<int32_t> out(before);
  std::iota(out.begin(), out.end(), 1000);
  for (size_t i = 0; i < times; ++i) {
    for (size_t token = 0; token < period; ++token) out.push_back(static_cast<int32_t>(token));
  }
  return out;
}

TEST(IsNoSpeech, NeedsADoubtfulTextAndASoundThatIsHardlySpeech) {
  const HallucinationLimits limits;
  EXPECT_TRUE(IsNoSpeech(0.8f, -1.2f, 30, limits));
  EXPECT_FALSE(IsNoSpeech(0.8f, -0.9f, 30, limits));
  EXPECT_FALSE(IsNoSpeech(0.5f, -1.2f, 30, limits));
}

TEST(IsNoSpeech, DoubtsAFewWordsSooner) {
  const HallucinationLimits limits;
  EXPECT_TRUE(IsNoSpeech(0.8f, -0.9f, 3, limits));
  EXPECT_TRUE(IsNoSpeech(0.8f, -0.6f, 3, limits));
  EXPECT_FALSE(IsNoSpeech(0.8f, -0.6f, 7, limits));
  EXPECT_FALSE(IsNoSpeech(0.8f, -0.4f, 3, limits));
  EXPECT_FALSE(IsNoSpeech(0.7f, -0.9f, 3, limits)) << "a spoken letter on a telephone line";
}

TEST(TokensBeforeLoop, KeepsWhatPeopleRepeat) {
  EXPECT_EQ(TokensBeforeLoop({}, 0), 0u);
  for (const auto& [period, times] : {std::pair<size_t, size_t>{1, 8}, {2, 5}, {4, 3}, {10, 2}, {30, 3}}) {
    const auto tokens = Repeated(5, period, times);
    EXPECT_EQ(TokensBeforeLoop(tokens, 0), tokens.size()) << period << " tokens " << times << " times";
  }
}

TEST(TokensBeforeLoop, CutsALoopAfterItsFirstRound) {
  for (const auto& [period, times] : {std::pair<size_t, size_t>{1, 9}, {2, 6}, {4, 4}, {10, 3}, {30, 4}}) {
    const auto tokens = Repeated(5, period, times);
    EXPECT_EQ(TokensBeforeLoop(tokens, 0), 5 + period) << period << " tokens " << times << " times";
  }
}

TEST(TokensBeforeLoop, KeepsAsManyRoundsAsThereIsTimeFor) {
  // "No, no, no …" eight times, of eight seconds; a sentence of ten tokens four times, of eleven.
  for (const auto& [period, times, seconds] : {std::tuple<size_t, size_t, double>{2, 8, 8.2}, {10, 4, 11}}) {
    const auto tokens = Repeated(5, period, times);
    EXPECT_EQ(TokensBeforeLoop(tokens, seconds), tokens.size());
    EXPECT_EQ(TokensBeforeLoop(tokens, 1), 5 + period);
  }
}

}  // namespace
}  // namespace trunkline::asr
