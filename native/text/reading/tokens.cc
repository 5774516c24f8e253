#include "text/reading/tokens.h"

#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

bool LetterFollows(std::string_view text, size_t at) {
  if (at >= text.size()) return false;
  size_t next = at;
  return IsLetter(DecodeOne(text, next));
}

size_t EndOfWord(std::string_view text, size_t at) {
  while (at < text.size()) {
    size_t next = at;
    const char32_t c = DecodeOne(text, next);
    const bool inner = c == '\'' && LetterFollows(text, next);
    if (!IsLetter(c) && !inner) break;
    at = next;
  }
  return at;
}

}  // namespace

std::vector<Token> Tokenize(std::string_view cleaned) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < cleaned.size();) {
    size_t end = at;
    const char32_t c = DecodeOne(cleaned, end);
    Token token{Token::Kind::kPunct, {}, c};
    if (IsLetter(c)) {
      token.kind = Token::Kind::kWord;
      end = EndOfWord(cleaned, at);
    } else if (IsDigit(c)) {
      token.kind = Token::Kind::kNumber;
      while (end < cleaned.size() && IsDigit(static_cast<unsigned char>(cleaned[end]))) ++end;
    } else if (IsSpace(c)) {
      token.kind = Token::Kind::kSpace;
      while (end < cleaned.size() && cleaned[end] == ' ') ++end;
    }
    token.text = cleaned.substr(at, end - at);
    tokens.push_back(token);
    at = end;
  }
  return tokens;
}

}  // namespace trunkline::text
