#include "asr/whisper_decoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test/asr/models.h"

namespace trunkline::asr {
namespace {

using Text = std::vector<text::TokenId>;

std::vector<float> Sound() {
  std::vector<float> out(3 * 16000);
  for (size_t i = 0; i < out.size(); ++i) {
    const double t = static_cast<double>(i) / 16000;
    out[i] = static_cast<float>(0.2 * std::sin(2 * 3.14159 * (200 + 90 * std::sin(9 * t)) * t));
  }
  return out;
}

Text Prompt() {
  const WhisperTimestamps& marks = SharedWhisper()->marks();
  return {marks.start, marks.languages[0], marks.transcribe, marks.no_timestamps};
}

// The tokens that texts go on with, and whose continuations they are.
struct Fork {
  Text tokens;
  std::vector<size_t> parents;
};

// Returns the logits after a text that is decoded alone.
std::vector<float> Alone(WhisperDecoder& decoder, const Text& text) {
  decoder.Rewind(0);
  Text all = Prompt();
  all.insert(all.end(), text.begin(), text.end());
  EXPECT_TRUE(decoder.Step(all).ok());
  return {decoder.logits().begin(), decoder.logits().end()};
}

// Returns a text's logits at its place among copies of itself: products of the same shapes in the same rows,
// while no cache can be mistaken for another.
std::vector<float> InItsPlace(WhisperDecoder& decoder, const Text& text, std::span<const Fork> forks,
                              size_t place) {
  decoder.Rewind(0);
  EXPECT_TRUE(decoder.Step(Prompt()).ok());
  for (size_t step = 0; step < text.size(); ++step) {
    const Text tokens(forks[step].tokens.size(), text[step]);
    EXPECT_TRUE(decoder.Step(tokens, forks[step].parents).ok());
  }
  const auto logits = decoder.logits();
  const size_t size = logits.size() / forks[text.size() - 1].tokens.size();
  const auto row = logits.subspan(place * size, size);
  return {row.begin(), row.end()};
}

// The distance of two rows of logits.
double Distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(static_cast<double>(a[i]) - b[i]);
  return sum / static_cast<double>(a.size());
}

TEST(WhisperDecoder, TextsThatAreFollowedTogetherAreReadAsIfAlone) {
  TRUNKLINE_NEED_WHISPER();
  WhisperDecoder several(SharedWhisper()), one(SharedWhisper());
  const std::vector<float> sound = Sound();
  ASSERT_TRUE(several.Encode(sound).ok());
  ASSERT_TRUE(one.Encode(sound).ok());
  ASSERT_TRUE(several.Step(Prompt()).ok());
  // Texts fork, die out, move and become fewer.
  const std::vector<Fork> forks = {
      {{400, 1029, 307}, {0, 0, 0}},
      {{264, 2068, 50, 13}, {0, 1, 1, 1}},
      {{11, 12, 700, 900, 1000}, {0, 1, 2, 1, 1}},
      {{291, 300, 310, 320}, {2, 1, 2, 2}},
      {{5, 6, 7, 8}, {0, 0, 2, 2}},
      {{77}, {0}},
  };
  std::vector<Text> texts = {{}};
  for (size_t step = 0; step < forks.size(); ++step) {
    const auto& [tokens, parents] = forks[step];
    std::vector<Text> next;
    for (size_t i = 0; i < tokens.size(); ++i) {
      next.push_back(texts[parents[i]]);
      next.back().push_back(tokens[i]);
    }
    texts = std::move(next);
    ASSERT_TRUE(several.Step(tokens, parents).ok());
    const auto logits = several.logits();
    const size_t size = logits.size() / texts.size();
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_LT(Distance(logits.subspan(i * size, size), InItsPlace(one, texts[i], forks, i)), 1e-4)
          << "step " << step << ", text " << i;
      // Read at once, products are of other shapes. What differs in the last bit of a float falls to another
      // of 255 steps in the next product, and so on through six layers: 0.01 to 0.35 here, on every
      // processor.
      const auto said = Alone(one, texts[i]);
      const double own = Distance(logits.subspan(i * size, size), said);
      for (size_t other = 0; other < texts.size(); ++other) {
        if (other == i) continue;
        EXPECT_GT(Distance(logits.subspan(other * size, size), said), 3 * own)
            << "step " << step << ", text " << i << " is told from text " << other;
      }
    }
  }
}

TEST(WhisperDecoder, RefusesTextsWithoutParents) {
  TRUNKLINE_NEED_WHISPER();
  WhisperDecoder decoder(SharedWhisper());
  ASSERT_TRUE(decoder.Encode(Sound()).ok());
  ASSERT_TRUE(decoder.Step(Prompt()).ok());
  const Text tokens = {1, 2};
  const std::vector<size_t> short_parents = {0}, strange = {0, 7};
  EXPECT_EQ(decoder.Step(tokens, short_parents).code(), base::Code::kInvalidArgument);
  EXPECT_EQ(decoder.Step(tokens, strange).code(), base::Code::kInvalidArgument);
}

}  // namespace
}  // namespace trunkline::asr
