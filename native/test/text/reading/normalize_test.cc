// Every line of vectors/text/normalize_LANG.tsv: what is written, a tab, what is said.

#include "text/reading/normalize.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "text/reading/chinese.h"
#include "text/reading/clean.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

struct Case {
  std::string written, said;
  int line;
};

std::string Unescape(const std::string& field) {
  std::string out;
  for (size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && i + 1 < field.size() && (field[i + 1] == 'n' || field[i + 1] == 't')) {
      out.push_back(field[++i] == 'n' ? '\n' : '\t');
    } else {
      out.push_back(field[i]);
    }
  }
  return out;
}

std::vector<Case> Load(const std::string& code) {
  std::vector<Case> cases;
  std::ifstream file(std::string(TRUNKLINE_VECTORS) + "/text/normalize_" + code + ".tsv");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const size_t tab = line.find('\t');
    // A remark has no tab; "#5" and "# Title" are cases.
    if (line.empty() || (line[0] == '#' && tab == std::string::npos)) continue;
    EXPECT_NE(tab, std::string::npos) << code << ":" << number;
    if (tab == std::string::npos) continue;
    cases.push_back({Unescape(line.substr(0, tab)), line.substr(tab + 1), number});
  }
  return cases;
}

void Check(const std::string& code, size_t least) {
  Lang lang;
  ASSERT_TRUE(ParseLang(code, lang));
  const std::vector<Case> cases = Load(code);
  EXPECT_GE(cases.size(), least);
  for (const Case& c : cases)
    EXPECT_EQ(Normalize(c.written, lang), c.said) << code << ":" << c.line << " " << c.written;
}

TEST(Normalize, English) {
  Check("en", 400);
}
TEST(Normalize, Spanish) {
  Check("es", 100);
}
TEST(Normalize, French) {
  Check("fr", 100);
}
TEST(Normalize, German) {
  Check("de", 100);
}
TEST(Normalize, Hindi) {
  Check("hi", 100);
}
TEST(Normalize, Italian) {
  Check("it", 100);
}
TEST(Normalize, Portuguese) {
  Check("pt", 100);
}
TEST(Normalize, Chinese) {
  Check("zh", 100);
}

// The digits, markup and control characters of any input are gone from the output, whatever the language.
TEST(Normalize, NothingUnsayableRemains) {
  const std::string hostile =
      "<speak>A\x01\x02 <prosody rate=\"x-fast\">1234567890</prosody></speak> [[h@l'oU]] {x} \\n `code` "
      "**b** "
      "\xF0\x9F\x98\x80 \xE2\x80\x8B \xFF\xFE &lt;script&gt;alert(1)&lt;/script&gt; | a | 9/9/9/9 1.2.3.4.5";
  for (const char* code : {"en", "es", "fr", "de", "hi", "it", "pt", "zh", "ja"}) {
    Lang lang;
    ASSERT_TRUE(ParseLang(code, lang));
    const std::string said = Normalize(hostile, lang);
    for (const char32_t c : ToCodePoints(said)) {
      EXPECT_FALSE(IsDigit(c)) << said;
      EXPECT_NE(c, kBadCodePoint);
      EXPECT_GE(c, U' ');
      EXPECT_LT(c, 0x1F000u);
      EXPECT_EQ(std::u32string_view(U"<>[]{}\\`*|").find(c), std::u32string_view::npos) << said;
    }
    EXPECT_EQ(said.find("alert"), std::string::npos);
  }
}

// Reading the result again changes no word: what is said holds nothing that would be read another way.
TEST(Normalize, EveryNumberBelowAMillionHasOnlyWords) {
  for (const char* code : {"en", "es", "fr", "de", "hi", "it", "pt"}) {
    Lang lang;
    ASSERT_TRUE(ParseLang(code, lang));
    for (uint64_t n = 0; n < 1'000'000; n += n < 2000 ? 1 : 997) {
      for (const Gender gender : {Gender::kBare, Gender::kMasculine, Gender::kFeminine}) {
        const std::string said = ReaderFor(lang).Cardinal(n, gender);
        ASSERT_FALSE(said.empty());
        ASSERT_EQ(said.find("  "), std::string::npos) << said;
        ASSERT_NE(said.back(), ' ') << said;
        ASSERT_NE(said.front(), ' ') << said;
      }
    }
  }
}

TEST(Normalize, DifferentNumbersAreSaidDifferently) {
  for (const char* code : {"en", "es", "fr", "de", "hi", "it", "pt"}) {
    Lang lang;
    ASSERT_TRUE(ParseLang(code, lang));
    std::vector<std::string> seen;
    for (uint64_t n = 0; n < 10'000; ++n) seen.push_back(ReaderFor(lang).Cardinal(n, Gender::kBare));
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end())
        << code << ": " << *std::adjacent_find(seen.begin(), seen.end());
  }
}

// Each number is said in words that no other has, and no zero stands at the end or doubled.
TEST(Normalize, ChineseNumbersAreSaidDifferently) {
  std::vector<std::string> seen;
  for (uint64_t n = 0; n < 20'000'000; n += n < 30'000 ? 1 : 9'973) {
    seen.push_back(ChineseCardinal(n));
    if (n > 0) EXPECT_FALSE(seen.back().ends_with("零")) << n;
    EXPECT_EQ(seen.back().find("零零"), std::string::npos) << n;
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

}  // namespace
}  // namespace trunkline::text
