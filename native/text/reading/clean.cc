#include "text/reading/clean.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "text/reading/markup.h"
#include "text/unicode/unicode.h"

namespace trunkline::text {
namespace {

bool IsPictograph(char32_t c) {
  return (c >= 0x2190 && c <= 0x21FF && c != 0x2192) || (c >= 0x2300 && c <= 0x23FF) ||
         (c >= 0x2460 && c <= 0x2BFF) || (c > kStress && c <= 0xF8FF) || (c >= 0xFE00 && c <= 0xFE0F) ||
         (c >= 0x1F000 && c <= 0x1FAFF) || c >= 0xE0000;
}

bool IsInvisible(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF0 && c <= 0xFFFF) || c == kBadCodePoint;
}

// Folds characters that are read alike to one spelling; 0 drops the character.
char32_t Fold(char32_t c) {
  if (c >= 0x966 && c <= 0x96F) return '0' + (c - 0x966);  // Devanagari digits
  if (c >= 0xFF01 && c <= 0xFF5E) return c - 0xFEE0;       // full-width forms
  switch (c) {
    case 0x2018:
    case 0x2019:
    case 0x201B:
    case 0x2BC:
    case 0xB4:
    case '`':
      return '\'';
    case 0x201C:
    case 0x201D:
    case 0x201E:
    case 0x201F:
    case 0xAB:
    case 0xBB:
    case 0x2039:
    case 0x203A:
      return '"';
    case 0x2010:
    case 0x2011:
      return '-';
    case 0x2212:
      return '-';
    case 0x2012:
      return 0x2013;
    case 0x2015:
      return 0x2014;
    case 0x3002:
      return '.';
    case 0xFF0C:
    case 0x3001:
      return ',';
    case 0xA9:
    case 0xAE:
    case 0x2122:
    case 0x2022:
    case 0xB7:
    case 0x2020:
    case 0x2021:
    case 0xB6:
      return 0;
    default:
      return c;
  }
}

// ---- Lines: markdown ----

using Line = Codes;

void TrimFront(Line& line) {
  size_t i = 0;
  while (i < line.size() && IsSpace(line[i])) ++i;
  line.erase(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(i));
}

bool IsRule(const Line& line) {
  size_t marks = 0;
  for (const char32_t c : line) {
    if (c == '-' || c == '*' || c == '_' || c == '=' || c == '|' || c == ':' || c == '~') {
      ++marks;
    } else if (!IsSpace(c)) {
      return false;
    }
  }
  return marks >= 3;
}

// Removes the mark of a heading, list or quotation; returns whether there was one.
bool StripLineMark(Line& line) {
  TrimFront(line);
  size_t i = 0;
  while (i < line.size() && i < 7 && (line[i] == '#' || line[i] == '>')) ++i;
  if (i == 0 && !line.empty() && (line[0] == '-' || line[0] == '*' || line[0] == '+' || line[0] == 0x2022))
    i = 1;
  if (i == 0 || i >= line.size() || !IsSpace(line[i])) return false;
  line.erase(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(i));
  TrimFront(line);
  StripLineMark(line);
  return true;
}

bool IsEdge(const Line& line, size_t i) {
  return i >= line.size() || (!IsLetter(line[i]) && !IsDigit(line[i]));
}

// [words](address) and ![words](address) leave the words.
size_t StripLink(const Line& line, size_t i, Line& out) {
  if (line[i] != '[') return 0;
  size_t close = i + 1;
  while (close < line.size() && line[close] != ']' && line[close] != '[') ++close;
  if (close + 1 >= line.size() || line[close] != ']' || line[close + 1] != '(') return 0;
  size_t end = close + 2;
  while (end < line.size() && line[end] != ')') ++end;
  if (end >= line.size()) return 0;
  if (!out.empty() && out.back() == '!') out.pop_back();
  out.insert(out.end(), line.begin() + static_cast<std::ptrdiff_t>(i) + 1,
             line.begin() + static_cast<std::ptrdiff_t>(close));
  return end + 1 - i;
}

// Removes emphasis and code marks next to a word; "3 * 4" and "first_name" keep theirs.
Line StripInline(const Line& line) {
  Line out;
  out.reserve(line.size());
  for (size_t i = 0; i < line.size();) {
    if (const size_t taken = StripLink(line, i, out); taken != 0) {
      i += taken;
      continue;
    }
    const char32_t c = line[i];
    const bool doubled = i + 1 < line.size() && line[i + 1] == c;
    if (c == '`' || (c == '~' && doubled) || (c == '*' && doubled)) {
      i += doubled ? 2 : 1;
    } else if ((c == '*' || c == '_') && (IsEdge(line, i + 1) != (i == 0 || IsEdge(line, i - 1)))) {
      ++i;
    } else if (c == '|') {
      out.push_back(',');
      out.push_back(' ');
      ++i;
    } else {
      out.push_back(c);
      ++i;
    }
  }
  return out;
}

bool IsPause(char32_t c) {
  return c == '.' || c == ',' || c == '!' || c == '?' || c == ';' || c == ':' || c == 0x2026 || c == 0x964 ||
         c == 0x965 || c == 0x2014;
}

char32_t LastSaid(const Codes& out) {
  for (size_t i = out.size(); i > 0; --i) {
    if (!IsSpace(out[i - 1]) && out[i - 1] != '"' && out[i - 1] != '\'' && out[i - 1] != ')')
      return out[i - 1];
  }
  return 0;
}

void EndSentence(Codes& out) {
  const char32_t last = LastSaid(out);
  if (last != 0 && !IsPause(last)) out.push_back('.');
  out.push_back(' ');
}

Codes JoinLines(const Codes& codes) {
  Codes out;
  bool fenced = false;
  bool lineOfList = false;
  for (size_t from = 0; from <= codes.size();) {
    size_t to = from;
    while (to < codes.size() && codes[to] != '\n' && codes[to] != 0x2028 && codes[to] != 0x2029) ++to;
    Line line(codes.begin() + static_cast<std::ptrdiff_t>(from),
              codes.begin() + static_cast<std::ptrdiff_t>(to));
    from = to + 1;
    TrimFront(line);
    if (line.size() >= 3 && line[0] == '`' && line[1] == '`' && line[2] == '`') {
      fenced = !fenced;
      EndSentence(out);
      continue;
    }
    const bool marked = !fenced && StripLineMark(line);
    if (line.empty() || IsRule(line) || marked || lineOfList) EndSentence(out);
    lineOfList = marked;
    if (line.empty() || IsRule(line)) continue;
    const Line words = StripInline(line);
    if (!out.empty()) out.push_back(' ');
    out.insert(out.end(), words.begin(), words.end());
  }
  if (lineOfList) EndSentence(out);
  return out;
}

void AppendPunctuation(char32_t c, std::string& out, char32_t& last) {
  const bool strongerEnd = (c == '?' || c == '!') && (last == '.' || last == ',' || last == '!');
  if (IsPause(last) && IsPause(c) && last != 0x2014) {
    if (c == '.' && last == '.') return;
    if (!strongerEnd || last == '?') return;
    while (!out.empty() && out.back() == ' ') out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) < 0x80) out.pop_back();
  }
  AppendUtf8(c, out);
  last = c;
}

bool IsDropped(char32_t c) {
  return c == '[' || c == ']' || c == '{' || c == '}' || c == '\\' || c == '^' || c == '`';
}

// Three dots become one mark before single dots are handled.
Codes FoldDots(const Codes& codes) {
  Codes out;
  out.reserve(codes.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    size_t run = i;
    while (run < codes.size() && codes[run] == '.') ++run;
    if (run - i >= 2) {
      out.push_back(0x2026);
      i = run - 1;
    } else {
      out.push_back(codes[i]);
    }
  }
  return out;
}

std::string Finish(const Codes& codes) {
  std::string out;
  char32_t last = 0;
  bool space = false;
  for (const char32_t raw : FoldDots(codes)) {
    if (IsSpace(raw) || IsDropped(raw)) {
      space = true;
      continue;
    }
    if (IsInvisible(raw)) continue;
    if (IsPictograph(raw)) {
      space = true;
      continue;
    }
    const char32_t c = Fold(raw);
    if (c == 0) continue;
    const bool closes = IsPause(c) && c != 0x2014;
    if (space && !out.empty() && !(closes && IsPause(last))) out.push_back(' ');
    const bool apart = space;
    space = false;
    // The pause of "Hello , world" moves to the word; ".5" keeps its space.
    if (closes && apart && !out.empty() && out.back() == ' ' && c != '.' && c != ':') out.pop_back();
    if (closes && (!apart || IsPause(last))) {
      AppendPunctuation(c, out, last);
    } else {
      AppendUtf8(c, out);
      last = c;
    }
  }
  return out;
}

}  // namespace

std::string Clean(std::string_view utf8) {
  return Finish(JoinLines(WithoutMarkup(ToCodePoints(utf8))));
}

}  // namespace trunkline::text
