#pragma once

#include <string_view>
#include <vector>

namespace trunkline::text {

struct Token {
  enum class Kind { kWord, kNumber, kSpace, kPunct };
  Kind kind;
  std::string_view text;
  char32_t mark = 0;  // the character of a kPunct
};

// Runs of letters (with apostrophes inside), runs of digits, runs of spaces, and single other characters.
std::vector<Token> Tokenize(std::string_view cleaned);

}  // namespace trunkline::text
