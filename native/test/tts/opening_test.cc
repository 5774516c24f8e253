// Where the opening of a long clause ends, how its two readings are joined, and what its first sound costs.

#include "tts/opening.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "test/tts/synthesis_scene.h"

namespace trunkline::tts {
namespace {

constexpr int64_t kSpace = 16;
constexpr OpeningLimits kLimits = {40, 10, 20, 10};

// Words of four sounds and a space.
std::vector<int64_t> Words(size_t tokens) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < tokens; ++i) out.push_back(i % 5 == 4 ? kSpace : 50);
  return out;
}

TEST(Opening, AShortClauseIsReadWhole) {
  const Opening opening = PlanOpening(Words(40), kSpace, kLimits);
  EXPECT_EQ(opening.read, 40U);
  EXPECT_TRUE(opening.joints.empty());
}

TEST(Opening, ALongClauseIsReadAFewWordsBeyondItsOpening) {
  for (const size_t tokens : {60, 200, 500}) {
    const Opening opening = PlanOpening(Words(tokens), kSpace, kLimits);
    EXPECT_EQ(opening.joints, (std::vector<size_t>{14, 19})) << tokens;
    EXPECT_EQ(opening.read, 29U) << tokens;
  }
}

TEST(Opening, AClauseThatEndsSoonAfterItIsReadWhole) {
  EXPECT_TRUE(PlanOpening(Words(39 + 2), kSpace, {40, 10, 20, 20}).joints.empty());
}

TEST(Opening, AWordWithoutEndIsReadWhole) {
  const std::vector<int64_t> word(300, 50);
  EXPECT_EQ(PlanOpening(word, kSpace, kLimits).read, 300U);
}

KokoroClause ClauseOf(std::vector<float> durations, float hertz, float energy) {
  KokoroClause clause;
  clause.durations = std::move(durations);
  clause.frames =
      2 * static_cast<size_t>(std::accumulate(clause.durations.begin(), clause.durations.end(), 0.0F));
  clause.hertz.assign(clause.frames, hertz);
  clause.energy.assign(clause.frames, energy);
  clause.f0 = clause.hertz;
  for (size_t row = 0; row < kGeneratorChannels; ++row)
    for (size_t i = 0; i < clause.frames / 2; ++i) clause.sounds.push_back(hertz + static_cast<float>(i));
  return clause;
}

TEST(Opening, TheVoiceIsSoftestWhereItIsUnvoiced) {
  KokoroClause clause = ClauseOf({10, 10, 10, 10, 10}, 200, 1);
  for (size_t i = clause.FrameOf(3) - 2; i < clause.FrameOf(3) + 2; ++i) clause.energy[i] = 0.5F;
  EXPECT_EQ(SoftestJoint(clause, std::vector<size_t>{1, 2, 3}), 2U);
  for (size_t i = clause.FrameOf(4) - 2; i < clause.FrameOf(4) + 2; ++i) clause.hertz[i] = 0;
  EXPECT_EQ(SoftestJoint(clause, std::vector<size_t>{1, 2, 3}), 3U);
}

TEST(Opening, NeitherPitchNorEnergyStepsAtTheJoint) {
  KokoroClause opening = ClauseOf({4, 10, 12, 10}, 220, 2);
  const KokoroClause whole = ClauseOf({4, 9, 11, 10, 10, 40}, 200, 1.5F);
  const size_t joint = opening.FrameOf(2);
  ASSERT_EQ(joint, 28U);
  opening.Continue(whole, 2);
  EXPECT_EQ(opening.frames, joint + whole.frames - whole.FrameOf(2));
  EXPECT_EQ(opening.durations, (std::vector<float>{4, 10, 11, 10, 10, 40}));
  ASSERT_EQ(opening.hertz.size(), opening.frames);
  ASSERT_EQ(opening.sounds.size(), kGeneratorChannels * opening.frames / 2);
  for (size_t i = 1; i < opening.frames; ++i) {
    EXPECT_LT(std::abs(12 * std::log2(opening.hertz[i] / opening.hertz[i - 1])), 0.1F) << i;
    EXPECT_LT(std::abs(opening.energy[i] - opening.energy[i - 1]), 0.05F) << i;
  }
  EXPECT_FLOAT_EQ(opening.hertz.front(), 220);
  EXPECT_FLOAT_EQ(opening.hertz.back(), 200);
  EXPECT_FLOAT_EQ(opening.energy.back(), 1.5F);
  // Each row: the opening's sounds, then those of the whole from the joint on.
  const size_t width = opening.frames / 2;
  for (const size_t row : {size_t{0}, kGeneratorChannels - 1}) {
    EXPECT_FLOAT_EQ(opening.sounds[row * width + joint / 2 - 1], 220 + 13);
    EXPECT_FLOAT_EQ(opening.sounds[row * width + joint / 2], 200 + 13);
  }
}

constexpr const char* kLong =
    "Before we can change the address on the account I need to ask you three short questions about the last "
    "payment that was made from it so that nobody else can have your letters";

class OpeningTest : public SynthesisTest {
 protected:
  // Returns how many phonemes were read before the first sound.
  static size_t ReadBeforeSound(const VoiceSpec& voice, std::string_view text, bool openings) {
    SynthesisOptions options;
    options.openings = openings;
    auto synthesis = Synthesis::Open(Models(), voice, text, options);
    EXPECT_TRUE(synthesis.ok());
    std::vector<float> out;
    while (!(*synthesis)->sounded() && !(*synthesis)->done())
      EXPECT_TRUE((*synthesis)->Step(nullptr, out).ok());
    return (*synthesis)->tokens_read();
  }
};

TEST_F(OpeningTest, TheFirstSoundReadsABoundedPieceOfAnyClause) {
  EXPECT_GT(ReadBeforeSound(Kokoro(), kLong, false), 120U);
  EXPECT_LT(ReadBeforeSound(Kokoro(), kLong, true), kKokoroOpening.whole);
  EXPECT_GT(ReadBeforeSound(Joe(), kLong, false), 120U);
  EXPECT_LE(ReadBeforeSound(Joe(), kLong, true), kPiperOpening.whole);
}

// The opening's pace is its own by a few frames, and nothing is said twice or left out.
TEST_F(OpeningTest, LongFormAClauseLastsAsLongAsWhenItIsReadWhole) {
  for (const VoiceSpec& voice : {Kokoro(), Joe()}) {
    SynthesisOptions whole;
    whole.openings = false;
    const auto joined = Speak(voice, kLong), once = Speak(voice, kLong, whole);
    const double ratio = static_cast<double>(joined.size()) / static_cast<double>(once.size());
    EXPECT_NEAR(ratio, 1, 0.06);
    EXPECT_NEAR(ActiveDb(joined), ActiveDb(once), 0.5);
  }
}

TEST_F(OpeningTest, LongFormWindowsOfAnySizeGiveTheSameSamples) {
  SynthesisOptions small, large;
  small.first_window = small.largest_window = 16;
  large.first_window = large.largest_window = 4000;
  EXPECT_EQ(Speak(Kokoro(), kLong, small), Speak(Kokoro(), kLong, large));
}

}  // namespace
}  // namespace trunkline::tts
