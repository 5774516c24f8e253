#include "text/dictionaries/mandarin.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "test/support/files.h"
#include "text/dictionaries/pinyin.h"
#include "text/phonemes/phonemes.h"
#include "text/reading/reading.h"

namespace trunkline::text {
namespace {

std::vector<uint8_t> Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class MandarinTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    path_ = test::ModelFile("mandarin/mandarin.bin");
    if (std::ifstream(path_).good()) table_ = Mandarin::Load(path_).value();
  }
  static void TearDownTestSuite() { table_.reset(); }
  void SetUp() override {
    if (table_ == nullptr) GTEST_SKIP() << "the model is not in the cache: " << path_;
  }
  static inline std::string path_;
  static inline std::shared_ptr<const Mandarin> table_;
};

TEST(Pinyin, SyllablesHaveTheirToneBehindTheVowel) {
  const std::pair<const char*, const char*> cases[] = {{"ma1", "ma→"},     {"ma2", "ma↗"},
                                                       {"ma3", "ma↓"},     {"ma4", "ma↘"},
                                                       {"ma5", "ma"},      {"zhong1", "ꭧʊ→ŋ"},
                                                       {"guo2", "kwo↗"},   {"chuang2", "ꭧʰwa↗ŋ"},
                                                       {"shi4", "ʂɨ↘"},    {"si4", "sɨ↘"},
                                                       {"ri4", "ɻɨ↘"},     {"xi1", "ɕi→"},
                                                       {"lve4", "lɥe↘"},   {"nv3", "ny↓"},
                                                       {"ju2", "ʨy↗"},     {"quan2", "ʨʰɥɛ↗n"},
                                                       {"xun4", "ɕy↘n"},   {"yu3", "y↓"},
                                                       {"yuan2", "ɥɛ↗n"},  {"yong3", "jʊ↓ŋ"},
                                                       {"ying1", "i→ŋ"},   {"you3", "jou↓"},
                                                       {"wei4", "wei↘"},   {"wu3", "u↓"},
                                                       {"weng1", "wə→ŋ"},  {"liu2", "ljou↗"},
                                                       {"gui4", "kwei↘"},  {"dun4", "twə↘n"},
                                                       {"bo1", "pwo→"},    {"o2", "ɔ↗"},
                                                       {"er2", "ɚ↗"},      {"yo1", "jɔ→"},
                                                       {"ê4", "ɛ↘"},       {"ng2", "ŋ↗"},
                                                       {"jiong3", "ʨjʊ↓ŋ"}};
  for (const auto& [written, said] : cases) EXPECT_EQ(PinyinPhonemes(written), said) << written;
  for (const char* written : {"", "4", "ma", "ma6", "qqq1", "zh3", "strange2"})
    EXPECT_EQ(PinyinPhonemes(written), "") << written;
}

TEST_F(MandarinTest, EverySyllableOfTheTableHasPhonemes) {
  const auto file = Bytes(path_);
  base::ByteReader reader(file);
  reader.ReadBytes(8);
  const auto count = reader.Read<uint32_t>();
  EXPECT_GT(count, 1300u);
  for (uint32_t i = 0; i < count; ++i) {
    const std::string_view syllable = base::AsText(reader.ReadBytes(reader.Read<uint8_t>()));
    EXPECT_NE(PinyinPhonemes(syllable), "") << syllable;
  }
}

TEST_F(MandarinTest, WordsAreSeparate) {
  EXPECT_EQ(table_->SeparateWords("我来到北京清华大学."), "我 来到 北京 清华大学.");
  EXPECT_EQ(table_->SeparateWords("他来到了网易杭研大厦"), "他 来到 了 网易 杭研 大厦");
  EXPECT_EQ(table_->SeparateWords("你好, hello世界 GPS导航"), "你好, hello 世界 GPS 导航");
  EXPECT_EQ(table_->SeparateWords("这\uE000非常 重要"), "这 \uE000非常 重要");
  EXPECT_EQ(table_->SeparateWords(""), "");
  EXPECT_EQ(table_->SeparateWords("\xE4\xB8 broken \xFF"), "\xE4\xB8 broken \xFF");
}

// The phrase decides how a character is read.
TEST_F(MandarinTest, WordsChooseTheReading) {
  EXPECT_EQ(table_->Pronounce("银行"), "i↗nxa↗ŋ");
  EXPECT_EQ(table_->Pronounce("行走"), "ɕi↗ŋʦou↓");
  EXPECT_EQ(table_->Pronounce("重庆"), "ꭧʰʊ↗ŋʨʰi↘ŋ");
  EXPECT_EQ(table_->Pronounce("重要"), "ꭧʊ↘ŋjau↘");
}

// Every line of vectors/text/mandarin.tsv: a sentence, a tab, its phonemes by misaki.
TEST_F(MandarinTest, SpeaksAsMisakiDoes) {
  PhonemePool none({"", "", "", 100});
  Accent accent;
  ASSERT_TRUE(ParseAccent("zh", accent));
  accent.mandarin = table_.get();
  std::ifstream file(std::string(TRUNKLINE_VECTORS) + "/text/mandarin.tsv");
  size_t sentences = 0, different = 0;
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos) continue;
    ++sentences;
    const std::string text = Normalize(line.substr(0, tab), Lang::kZh);
    const auto said = KokoroPhonemes(none, SeparateWords(text, accent), accent);
    ASSERT_TRUE(said.ok()) << said.status().message();
    if (*said == line.substr(tab + 1)) continue;
    ++different;
    ADD_FAILURE() << line << "\n" << *said;
  }
  EXPECT_GE(sentences, 500u);
  EXPECT_EQ(different, 0u);
}

TEST_F(MandarinTest, DamagedTablesAreRefused) {
  const auto whole = Bytes(path_);
  ASSERT_TRUE(Mandarin::Parse(whole).ok());
  for (const size_t size :
       {size_t{0}, size_t{7}, size_t{40}, whole.size() / 3, whole.size() / 2, whole.size() - 1})
    EXPECT_EQ(Mandarin::Parse(base::ByteView(whole).first(size)).status().code(), base::Code::kBadModel)
        << size;
  auto longer = whole;
  longer.push_back(0);
  EXPECT_FALSE(Mandarin::Parse(longer).ok());
  EXPECT_EQ(Mandarin::Load("/nowhere/mandarin.bin").status().code(), base::Code::kNotFound);
}

TEST(WordTable, FindsWordsAndPrefixes) {
  // u32 count, u32 begins, bytes.
  std::vector<uint8_t> file;
  const auto number = [&file](uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) file.push_back(static_cast<uint8_t>(value >> shift));
  };
  const std::vector<std::string> words = {"a", "ab", "abcd", "b", "北", "北京"};
  number(static_cast<uint32_t>(words.size()));
  uint32_t at = 0;
  number(at);
  for (const auto& word : words) number(at += static_cast<uint32_t>(word.size()));
  for (const auto& word : words) file.insert(file.end(), word.begin(), word.end());
  WordTable table;
  base::ByteReader reader(file);
  ASSERT_TRUE(table.Read(reader));
  std::vector<size_t> found;
  table.EachPrefix("abcde", [&](size_t word) { found.push_back(word); });
  EXPECT_EQ(found, (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(table.Find("北京"), 5u);
  EXPECT_EQ(table.Find("abc"), WordTable::kAbsent);
  EXPECT_EQ(table.Find(""), WordTable::kAbsent);
  // Words out of order are refused.
  file[file.size() - 10] = 'a';
  base::ByteReader again(file);
  EXPECT_FALSE(WordTable().Read(again));
}

}  // namespace
}  // namespace trunkline::text
