#include "text/dictionaries/japanese.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "test/support/files.h"
#include "text/dictionaries/kana.h"
#include "text/phonemes/phonemes.h"
#include "text/reading/japanese.h"
#include "text/reading/reading.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

class JapaneseTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    path_ = test::ModelFile("japanese/japanese.bin");
    if (std::ifstream(path_).good()) table_ = Japanese::Load(path_).value();
  }
  static void TearDownTestSuite() { table_.reset(); }
  void SetUp() override {
    if (table_ == nullptr) GTEST_SKIP() << "the model is not in the cache: " << path_;
  }
  static inline std::string path_;
  static inline std::shared_ptr<const Japanese> table_;
};

std::vector<std::pair<std::string, std::string>> Vectors(const std::string& name) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::ifstream file(std::string(TRUNKLINE_VECTORS) + "/text/" + name);
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    if (tab != std::string::npos) lines.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return lines;
}

std::string WithoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

size_t Edits(const std::string& a, const std::string& b) {
  const auto from = ToCodePoints(a), to = ToCodePoints(b);
  std::vector<size_t> row(to.size() + 1);
  for (size_t i = 0; i < row.size(); ++i) row[i] = i;
  for (size_t i = 1; i <= from.size(); ++i) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t k = 1; k <= to.size(); ++k) {
      const size_t changed = corner + (from[i - 1] == to[k - 1] ? 0 : 1);
      corner = row[k];
      row[k] = std::min({row[k] + 1, row[k - 1] + 1, changed});
    }
  }
  return row.back();
}

TEST(Kana, SoundsDependOnTheirNeighbours) {
  const std::pair<const char*, const char*> cases[] = {{"キョーワ", "kʲoːβa"},
                                                       {"ガッコー", "ɡaʔkoː"},
                                                       {"サンポ", "sampo"},
                                                       {"サンガ", "saŋɡa"},
                                                       {"コンニチワ", "koɲɲiʨiβa"},
                                                       {"センセー", "seɴseː"},
                                                       {"チェック", "ʨeʔkɯ"},
                                                       {"ファイル", "ɸaiɾɯ"},
                                                       {"ティー", "tʲiː"},
                                                       {"シュー", "ɕɨː"},
                                                       {"ズ", "zɨ"},
                                                       {"スゥ", "sɯ"},
                                                       {"ッァ", ""},
                                                       {"x", ""},
                                                       {"", ""}};
  for (const auto& [written, said] : cases) EXPECT_EQ(KanaPhonemes(written), said) << written;
}

// Every line of vectors/text/japanese_reading.tsv: what is written, a tab, the kana with which it is said.
TEST_F(JapaneseTest, ReadsNumbersAndParticles) {
  const auto cases = Vectors("japanese_reading.tsv");
  EXPECT_GE(cases.size(), 90u);
  for (const auto& [written, said] : cases)
    EXPECT_EQ(table_->SeparateWords(Normalize(written, Lang::kJa)), said) << written;
}

// misaki reads by another dictionary, so the two differ in some words: 値 is "ne" or "atai". The sounds of nine sentences in ten are
// the same, and one in two hundred sounds is another.
TEST_F(JapaneseTest, SpeaksNearlyAsMisakiDoes) {
  PhonemePool none({"", "", "", 100});
  Accent accent;
  ASSERT_TRUE(ParseAccent("ja", accent));
  accent.japanese = table_.get();
  size_t same = 0, sounds = 0, edits = 0;
  const auto cases = Vectors("japanese.tsv");
  for (const auto& [text, wanted] : cases) {
    const auto said = KokoroPhonemes(none, SeparateWords(Normalize(text, Lang::kJa), accent), accent);
    ASSERT_TRUE(said.ok()) << said.status().message();
    const std::string ours = WithoutSpaces(*said), theirs = WithoutSpaces(wanted);
    same += ours == theirs ? 1 : 0;
    sounds += CountCodePoints(theirs);
    edits += Edits(ours, theirs);
  }
  EXPECT_GE(cases.size(), 380u);
  EXPECT_GE(10 * same, 9 * cases.size() - 1) << same;
  EXPECT_LE(200 * edits, sounds) << edits;
}

TEST_F(JapaneseTest, OthersCharactersAndBrokenBytesStay) {
  EXPECT_EQ(table_->SeparateWords(""), "");
  EXPECT_EQ(table_->SeparateWords("hello, world."), "hello, world.");
  EXPECT_EQ(table_->SeparateWords("\xE3\x81 broken \xFF"), "\xE3\x81 broken \xFF");
  EXPECT_EQ(table_->SeparateWords("\uE002三本\uE003サンボン\uE004"), "サンボン");
  EXPECT_EQ(table_->SeparateWords("\uE003\uE004\uE002"), "");
}

TEST_F(JapaneseTest, DamagedTablesAreRefused) {
  std::ifstream file(path_, std::ios::binary);
  const std::vector<uint8_t> whole{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const size_t size :
       {size_t{0}, size_t{7}, size_t{40}, whole.size() / 3, whole.size() / 2, whole.size() - 1})
    EXPECT_EQ(Japanese::Parse(base::ByteView(whole).first(size)).status().code(), base::Code::kBadModel)
        << size;
  EXPECT_EQ(Japanese::Load("/nowhere/japanese.bin").status().code(), base::Code::kNotFound);
}

TEST(JapaneseNumbers, AreSaidDifferently) {
  std::vector<std::string> seen;
  for (uint64_t n = 0; n < 20'000'000; n += n < 30'000 ? 1 : 9'973) seen.push_back(JapaneseCardinal(n));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

}  // namespace
}  // namespace trunkline::text
