#include "text/tokens/bpe_split.h"

#include <array>

#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

enum class Kind { kLetter, kNumber, kSpace, kOther };

struct Range {
  char32_t first, last;
};

// Combining marks of the scripts that recognition writes: to the pattern they are not letters, and so break a
// Devanagari word.
constexpr Range kMarks[] = {{0x0300, 0x036F}, {0x0900, 0x0903}, {0x093A, 0x093C}, {0x093E, 0x094F},
                            {0x0951, 0x0957}, {0x0962, 0x0965}, {0x00D7, 0x00D7}, {0x00F7, 0x00F7},
                            {0x2000, 0x2BFF}, {0x3000, 0x303F}, {0xFF00, 0xFF0F}};

Kind KindOf(char32_t c) {
  if (c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xA0) return Kind::kSpace;
  if (c >= '0' && c <= '9') return Kind::kNumber;
  if (c >= 0x0966 && c <= 0x096F) return Kind::kNumber;
  if (c == 0xB2 || c == 0xB3 || c == 0xB9 || (c >= 0xBC && c <= 0xBE)) return Kind::kNumber;
  if (c < 0x80) return (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? Kind::kLetter : Kind::kOther;
  if (c < 0xC0) return c == 0xAA || c == 0xB5 || c == 0xBA ? Kind::kLetter : Kind::kOther;
  for (const Range& range : kMarks) {
    if (c >= range.first && c <= range.last) return Kind::kOther;
  }
  return Kind::kLetter;
}

constexpr std::array<std::string_view, 7> kContractions = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

size_t Contraction(std::string_view text) {
  for (const std::string_view ending : kContractions) {
    if (text.starts_with(ending)) return ending.size();
  }
  return 0;
}

Kind KindAt(std::string_view utf8, size_t at) {
  return KindOf(DecodeOne(utf8, at));
}

size_t RunOf(std::string_view utf8, size_t at, Kind kind) {
  while (at < utf8.size() && KindAt(utf8, at) == kind) DecodeOne(utf8, at);
  return at;
}

// The end of the piece that starts at `at`.
size_t PieceEnd(std::string_view utf8, size_t at) {
  if (const size_t length = Contraction(utf8.substr(at)); length > 0) return at + length;
  const Kind kind = KindAt(utf8, at);
  if (kind != Kind::kSpace) return RunOf(utf8, at, kind);
  const size_t end = RunOf(utf8, at, Kind::kSpace);
  if (end == utf8.size()) return end;
  // The last space of a run goes with the word after it, when it is a plain one.
  if (end - at > 1) return utf8[end - 1] == ' ' ? end - 1 : end;
  return utf8[at] == ' ' ? RunOf(utf8, end, KindAt(utf8, end)) : end;
}

}  // namespace

std::vector<std::string_view> SplitForBpe(std::string_view utf8) {
  std::vector<std::string_view> pieces;
  for (size_t at = 0; at < utf8.size();) {
    const size_t end = PieceEnd(utf8, at);
    pieces.push_back(utf8.substr(at, end - at));
    at = end;
  }
  return pieces;
}

}  // namespace trunkline::text
