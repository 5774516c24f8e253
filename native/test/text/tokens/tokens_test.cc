#include <gtest/gtest.h>

#include "test/support/files.h"
#include "text/tokens/bpe_split.h"
#include "text/tokens/byte_tokens.h"
#include "text/tokens/piece_tokens.h"

namespace trunkline::text {
namespace {

std::string Joined(std::string_view text) {
  std::string out;
  for (const auto piece : SplitForBpe(text)) out += "[" + std::string(piece) + "]";
  return out;
}

TEST(SplitForBpe, CutsAsThePatternDoes) {
  EXPECT_EQ(Joined("Hello, world! It's 42nd."), "[Hello][,][ world][!][ It]['s][ 42][nd][.]");
  EXPECT_EQ(Joined("  two  spaces "), "[ ][ two][ ][ spaces][ ]");
  EXPECT_EQ(Joined("a\n b\nc"), "[a][\n][ b][\n][c]");
  EXPECT_EQ(Joined(""), "");
}

TEST(SplitForBpe, KeepsEveryByteOfBrokenText) {
  const std::string broken = "ab\xff\xfe c\xe0\xa4 d";
  std::string out;
  for (const auto piece : SplitForBpe(broken)) out += piece;
  EXPECT_EQ(out, broken);
}

// Ids as the tokenizer that came with the weights gives them.
TEST(ByteTokens, EncodesAsTheModelWrites) {
  const std::string path = test::ModelFile("whisper-base/tokens.bin");
  TRUNKLINE_NEED_FILE(path);
  auto tokens = ByteTokens::Load(path);
  ASSERT_TRUE(tokens.ok()) << tokens.status().ToString();
  const std::vector<std::pair<std::string, std::vector<TokenId>>> cases = {
      {" Trunkline", {1765, 3197, 1889}},
      {" Hello, world! It's 42nd street.", {2425, 11, 1002, 0, 467, 311, 14034, 273, 4838, 13}},
      {" नमस्ते दुनिया",
       {8485, 101, 48521, 45938, 27099, 36158, 21981, 8485, 99, 8703, 223, 35082, 33279, 48268, 17937}},
      {" El niño comió piñata; ¿qué?", {2699, 42307, 395, 7138, 3895, 2791, 3274, 26, 3841, 16412, 30}},
      {" Zürich-Straße 100€ café\n x",
       {1176, 1655, 480, 12, 4520, 424, 11451, 2319, 28197, 25118, 198, 2031}},
  };
  for (const auto& [text, ids] : cases) {
    EXPECT_EQ(tokens->Encode(text), ids) << text;
    EXPECT_EQ(tokens->Decode(ids), text);
  }
  EXPECT_EQ(tokens->special("<|en|>"), 50259);
  EXPECT_EQ(tokens->special("<|nobody|>"), -1);
  EXPECT_EQ(tokens->first_special(), 50257);
  EXPECT_EQ(tokens->bytes(50257), "");
}

TEST(ByteTokens, RefusesACorruptTable) {
  EXPECT_FALSE(ByteTokens::Parse({}).ok());
  const std::string cut("TLTK\x01\0\0\0\x05\0\0\0\0", 13);
  EXPECT_EQ(ByteTokens::Parse(base::AsBytes(cut)).status().code(), base::Code::kBadModel);
}

TEST(PieceTokens, WritesWordsWithSpacesBetween) {
  const std::string path = test::ModelFile("moonshine-tiny-en/tokenizer.bin");
  TRUNKLINE_NEED_FILE(path);
  auto tokens = PieceTokens::Load(path);
  ASSERT_TRUE(tokens.ok()) << tokens.status().ToString();
  EXPECT_EQ(tokens->size(), 32768u);
  EXPECT_EQ(tokens->Decode({1, 20000, 2}), "admit");
  EXPECT_EQ(tokens->Decode({20000, 20000}), "admit admit");
  EXPECT_TRUE(tokens->OpensWord(20000));
  EXPECT_FALSE(tokens->OpensWord(2));
}

TEST(PieceTokens, RefusesATableThatEndsEarly) {
  const uint8_t cut[] = {5, 'a', 'b'};
  EXPECT_FALSE(PieceTokens::Parse(cut).ok());
}

}  // namespace
}  // namespace trunkline::text
