#include "text/tokens/word_pieces.h"

#include <gtest/gtest.h>

#include "test/support/files.h"

namespace trunkline::text {
namespace {

using Ids = std::vector<int64_t>;

// Ids as the tokenizer that came with the weights gives them.
TEST(WordPieces, EncodesAsTheModelReads) {
  const std::string path = test::ModelFile("minilm-l6/vocab.txt");
  TRUNKLINE_NEED_FILE(path);
  auto pieces = WordPieces::Load(path);
  ASSERT_TRUE(pieces.ok()) << pieces.status().ToString();
  EXPECT_EQ(pieces->size(), 30522U);
  const std::vector<std::pair<std::string, Ids>> cases = {
      {"When do you open?", {101, 2043, 2079, 2017, 2330, 1029, 102}},
      {"I'd like a Zürich-style café, naïve coöperation!",
       {101, 1045, 1005, 1040, 2066, 1037, 10204, 1011, 2806, 7668, 1010, 15743, 6792, 999, 102}},
      {"Prix: 42€ (à peu près)",
       {101, 5431, 1024, 4413, 30102, 1006, 1037, 21877, 2226, 3653, 2015, 1007, 102}},
      {"unaffable antidisestablishmentarianism 🙂",
       {101, 14477, 20961, 3468, 3424, 10521, 4355, 7875, 13602, 3672, 12199, 2964, 100, 102}},
      {"東京 tower", {101, 1879, 1755, 3578, 102}},
      {"  tabs\tand\nlines\u200b  ", {101, 21628, 2015, 1998, 3210, 102}},
      {"¿Qué? «hola»", {101, 1094, 10861, 1029, 1077, 7570, 2721, 1090, 102}},
      {"İstanbul ŁódŹ", {101, 9960, 17814, 102}},
      {std::string(120, 'x'), {101, 100, 102}},
      {"", {101, 102}},
  };
  for (const auto& [text, ids] : cases) EXPECT_EQ(pieces->Encode(text, 128), ids) << text;
  EXPECT_EQ(pieces->Encode("When do you open?", 5), (Ids{101, 2043, 2079, 2017, 102}));
}

TEST(WordPieces, CutsAWordIntoTheLongestPieces) {
  auto pieces = WordPieces::Parse("[UNK]\n[CLS]\n[SEP]\nopen\n##ing\n##s\r\n");
  ASSERT_TRUE(pieces.ok());
  EXPECT_EQ(pieces->Encode("OPENINGS openx", 9), (Ids{1, 3, 4, 5, 0, 2}));
  EXPECT_EQ(pieces->Encode("openings", 4), (Ids{1, 3, 4, 2}));
}

TEST(WordPieces, RefusesAVocabularyWithoutItsSpecialTokens) {
  EXPECT_EQ(WordPieces::Parse("open\n").status().code(), base::Code::kBadModel);
  EXPECT_EQ(WordPieces::Load("/nonexistent").status().code(), base::Code::kNotFound);
}

// Bytes that are no text make unknown tokens at most.
TEST(WordPieces, TakesBrokenText) {
  auto pieces = WordPieces::Parse("[UNK]\n[CLS]\n[SEP]\na\n");
  ASSERT_TRUE(pieces.ok());
  EXPECT_EQ(pieces->Encode("a \xff\xc3 a\xe0\xa4", 9), (Ids{1, 3, 3, 2}));
}

}  // namespace
}  // namespace trunkline::text
